// View.swift: the views of a small application and their gestures. (A11)

/// A part of the screen that can be touched. Subclasses override the methods that they need. Use views only on the main thread.
class View {
    /// Columns and rows of the screen, from 1.
    var columns: ClosedRange<Int>, rows: ClosedRange<Int>
    /// Its name in transcripts.
    let name: String
    /// Its contents. Changes are committed when the main loop is about to sleep.
    let layer = Layer()
    /// The views inside it, from the bottom to the top.
    var subviews: [View] = []
    /// The gesture recognisers that follow its touches.
    var gestures: [GestureRecognizer] = []

    /// Creates a view at a place on the screen. Parts outside its superview are never hit.
    init(_ name: String, columns: ClosedRange<Int>, rows: ClosedRange<Int>) {
        (self.name, self.columns, self.rows) = (name, columns, rows)
    }

    /// The innermost view at a place; the later of two subviews lies above the earlier.
    func hitTest(column: Int, row: Int) -> View? {
        guard columns.contains(column), rows.contains(row) else { return nil }
        for subview in subviews.reversed() {
            if let hit = subview.hitTest(column: column, row: row) { return hit }
        }
        return self
    }

    /// The finger was put down on this view, moved, or was lifted, wherever it is by then.
    func touchesBegan(_ touch: Touch) {}
    func touchesMoved(_ touch: Touch) {}
    func touchesEnded(_ touch: Touch) {}
    /// A gesture was recognised: the view gets no further events of the touch.
    func touchesCancelled(_ touch: Touch) {}

    // MARK: - Layout and drawing

    private(set) var needsLayout = false, needsDisplay = false

    /// Marks the view: `layoutSubviews` is called when the main loop is next about to sleep, once for several calls.
    func setNeedsLayout() {
        needsLayout = true
        LayerTransaction.current.add(self)
    }

    /// Marks the view: `draw` is called when the main loop is next about to sleep, once for several calls.
    func setNeedsDisplay() {
        needsDisplay = true
        LayerTransaction.current.add(self)
    }

    /// Places the subviews. Subclasses override it.
    func layoutSubviews() {}
    /// Sets the layer's contents. Subclasses override it.
    func draw() {}

    /// Does what was asked for: the layout first.
    func update() {
        if needsLayout {
            needsLayout = false
            layoutSubviews()
        }
        if needsDisplay {
            needsDisplay = false
            draw()
        }
    }
}

/// A finger on the screen, from when it is put down until it is lifted.
final class Touch {
    /// The view that was hit. It gets all events of the touch, wherever the finger goes.
    let view: View
    /// Where the finger was put down, and where it is; columns and rows of the screen, from 1.
    let start: (column: Int, row: Int)
    var place: (column: Int, row: Int)
    /// Whether a gesture has claimed it: the view gets no further events.
    var isCancelled = false

    /// Creates a touch when the finger is put down.
    init(on view: View, column: Int, row: Int) {
        self.view = view
        start = (column, row)
        place = start
    }

    /// Whether the finger has left the place where it was put down.
    var hasMoved: Bool { place != start }
}

/// Recognises a gesture in the touches of a view. An observer of the main loop reports it later, together with all others.
final class GestureRecognizer {
    /// The gesture to recognise.
    enum Kind {
        /// The finger is put down and lifted in one place.
        case tap
        /// The finger moves while it is down.
        case pan
    }

    /// The progress of the gesture. A tap goes from `possible` to `ended`.
    enum State {
        case possible, began, changed, ended
    }

    let kind: Kind
    /// The state so far, whether or not it has been reported.
    private(set) var state = State.possible
    /// The states that the action is still to be called for, in their order. Several events may come before the loop is about to sleep.
    private var pending: [(state: State, translation: (columns: Int, rows: Int))] = []
    /// How far the finger was from where it was put down, at the event that is reported.
    private(set) var translation = (columns: 0, rows: 0)
    /// Called with each new state, when the loop is about to sleep.
    var action: (State) -> Void

    /// - Parameter action: called with each new state, at BeforeWaiting.
    init(_ kind: Kind, action: @escaping (State) -> Void) {
        (self.kind, self.action) = (kind, action)
    }

    /// Follows an event of a touch.
    /// - Returns: whether it has recognised the gesture just now.
    func follow(_ touch: Touch, _ phase: TouchPhase) -> Bool {
        if phase == .down { state = .possible }
        let new: State? = switch (kind, phase, state) {
        case (.tap, .up, _): touch.hasMoved ? nil : .ended
        case (.pan, .move, .possible): .began
        case (.pan, .move, _): .changed
        case (.pan, .up, .began), (.pan, .up, .changed): .ended
        default: nil
        }
        guard let new else { return false }
        let isRecognised = state == .possible
        state = new
        if new == .changed, pending.last?.state == .changed { pending.removeLast() } // the later one says it all
        pending.append((new, (touch.place.column - touch.start.column, touch.place.row - touch.start.row)))
        return isRecognised
    }

    /// Reports the pending states.
    func update() {
        let reports = pending
        pending = []
        for report in reports {
            translation = report.translation
            action(report.state)
        }
    }
}
