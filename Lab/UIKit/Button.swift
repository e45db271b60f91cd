// Button.swift: a button with a target and an action, as UIButton. (O5)

/// Calls its target's action when it is tapped. Use it on the main thread.
final class Button: View {
    private var action: () -> Void = {}

    /// Sets the method that a tap calls. The target is not retained.
    func addTarget<Target: AnyObject>(_ target: Target, action: @escaping (Target) -> () -> Void) {
        self.action = { [weak target] in
            if let target { action(target)() }
        }
    }

    @inline(never)
    override func touchesEnded(_ touch: Touch) {
        if columns.contains(touch.place.column), rows.contains(touch.place.row) { action() }
    }
}
