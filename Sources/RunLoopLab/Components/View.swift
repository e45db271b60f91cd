// View.swift: what is on the screen of a small application: views, the gestures that they know, and the window. (A11)

/// Something on the screen that can be touched. Subclasses override what they want to know. On the main thread only.
class View {
    /// Columns and rows of the screen, from 1.
    let columns: ClosedRange<Int>, rows: ClosedRange<Int>
    /// What transcripts call it.
    let name: String
    /// What it looks like; changes of it are committed when the main loop is about to sleep.
    let layer = Layer()
    /// The views within it, from the lowest to the topmost.
    var subviews: [View] = []
    /// What follows its touches beside itself.
    var gestures: [GestureRecognizer] = []

    /// A view at a place of the screen, which it keeps. What of it lies outside its superview is never hit.
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
    /// Where the finger was put down, and where it is; columns and rows of the screen, from 1.
    let start: (column: Int, row: Int)
    private(set) var place: (column: Int, row: Int)
    /// Whether a gesture has taken it: the view hears no more of it.
    var isCancelled = false

    /// A finger that is put down now.
    init(on view: View, column: Int, row: Int) {
        self.view = view
        start = (column, row)
        place = start
    }

    /// The finger has come to another place, on the view or beside it.
    func move(toColumn column: Int, row: Int) {
        place = (column, row)
    }

    /// Whether the finger is elsewhere than where it was put down.
    var hasMoved: Bool { place != start }
}

/// Watches the touches of a view for a movement that means something. What it has recognised is told later, all at once, by an
/// observer of the main loop.
final class GestureRecognizer {
    /// The movement to be recognised.
    enum Kind {
        /// The finger is put down and lifted in one place.
        case tap
        /// The finger moves while it is down.
        case pan
    }

    /// How far the movement has come; a tap goes from `possible` to `ended`.
    enum State {
        case possible, began, changed, ended
    }

    let kind: Kind
    /// What has been recognised so far, whether or not it has been told.
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
