// ViewController.swift: a view controller, as far as the articles' demos need one.

import SwiftRunLoop

/// UIKit's name, because the demos call their own subclasses ViewController. Owns the view that fills the window, and gets its touches. Subclasses override what they need, and usually print their `deinit`.
///
/// Use it on the main thread. It is Sendable because the demos hand `self` to threads; each demo says what it shares that way.
class UIViewController: Performing, @unchecked Sendable {
    /// The view, which fills the window.
    private(set) lazy var view: View = ControllerView(of: self)

    init() {}

    /// The view is about to be shown for the first time.
    func viewDidLoad() {}
    /// The view is about to go.
    func viewWillDisappear() {}
    /// A finger was put down on the view, was moved, was lifted.
    func touchesBegan(_ touch: Touch) {}
    func touchesMoved(_ touch: Touch) {}
    func touchesEnded(_ touch: Touch) {}
}

/// Passes touches that no subview takes to the controller, its next responder.
private final class ControllerView: View {
    private unowned let controller: UIViewController

    init(of controller: UIViewController) {
        self.controller = controller
        super.init("the view", columns: 1...InputEvent.screenLimit, rows: 1...InputEvent.screenLimit)
    }

    @inline(never)
    override func touchesBegan(_ touch: Touch) { controller.touchesBegan(touch) }
    @inline(never)
    override func touchesMoved(_ touch: Touch) { controller.touchesMoved(touch) }
    @inline(never)
    override func touchesEnded(_ touch: Touch) { controller.touchesEnded(touch) }
}
