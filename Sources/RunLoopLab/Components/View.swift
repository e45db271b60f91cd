// View.swift: what is on the screen of a small application: views, the gestures that they know, and the window. (A11)

/// Something on the screen that can be touched. Subclasses override what they want to know. On the main thread only.
class View {
    /// Columns and rows of the screen, from 1.
    let columns: ClosedRange<Int>, rows: ClosedRange<Int>
    let name: String
    let layer = Layer()
    var subviews: [View] = []
    var gestures: [GestureRecognizer] = []

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
    /// A gesture has been recognised: the view hears no more of the touch.
    func touchesCancelled(_ touch: Touch) {}
    /// A key was struck while this view was the first responder.
    func keyPressed(_ key: String) {}
}

/// A finger on the screen, from when it is put down until it is lifted.
final class Touch {
    /// The view that was hit. The touch is its own, wherever the finger goes.
    let view: View
    let start: (column: Int, row: Int)
    private(set) var place: (column: Int, row: Int)
    var isCancelled = false

    init(on view: View, column: Int, row: Int) {
        self.view = view
        start = (column, row)
        place = start
    }

    func move(toColumn column: Int, row: Int) {
        place = (column, row)
    }

    var hasMoved: Bool { place != start }
}

/// Watches the touches of a view for a movement that means something. What it has recognised is told later, all at once, by an
/// observer of the main loop.
final class GestureRecognizer {
    enum Kind {
        /// The finger is put down and lifted in one place.
        case tap
        /// The finger moves while it is down.
        case pan
    }

    enum State {
        case possible, began, changed, ended
    }

    let kind: Kind
    private(set) var state = State.possible
    /// Whether the action is still to be called for this state.
    private(set) var isPending = false
    private let action: (State) -> Void

    /// - Parameter action: called with each new state, at BeforeWaiting.
    init(_ kind: Kind, action: @escaping (State) -> Void) {
        (self.kind, self.action) = (kind, action)
    }

    /// Looks at an event of a touch.
    /// - Returns: whether it has recognised the gesture just now.
    func follow(_ touch: Touch, _ phase: TouchPhase) -> Bool {
        let new: State? = switch (kind, phase, state) {
        case (.tap, .up, _): touch.hasMoved ? nil : .ended
        case (.pan, .move, .possible): .began
        case (.pan, .move, _): .changed
        case (.pan, .up, .began), (.pan, .up, .changed): .ended
        default: nil
        }
        guard let new else { return false }
        let isRecognised = state == .possible
        (state, isPending) = (new, true)
        return isRecognised
    }

    /// Tells of what is pending.
    func update() {
        guard isPending else { return }
        isPending = false
        action(state)
        if state == .ended { state = .possible }
    }
}
