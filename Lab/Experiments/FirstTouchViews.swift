// FirstTouchViews.swift: the views of the application in first-touch.

import SwiftRunLoop

/// The whole window: a button on its left half, a list on its right half.
final class FirstTouchWindow: View {
    let button: TouchedView, list: TouchedView

    /// - Parameters:
    ///   - tapped: called when a view is tapped, with its name.
    ///   - scrolled: called when a drag of the list begins, moves, and ends.
    init(tapped: @escaping (String) -> Void,
         scrolled: @escaping (GestureRecognizer.State) -> Void) {
        button = TouchedView("the button", columns: 1...40, rows: 1...24)
        list = TouchedView("the list", columns: 41...80, rows: 1...24)
        super.init("the window", columns: 1...InputEvent.screenLimit, rows: 1...InputEvent.screenLimit)
        subviews = [list, button]
        for view in [button, list] {
            view.gestures = [GestureRecognizer(.tap) { [unowned view] _ in
                tapped(view.name)
                view.layer.contents = ["\(view.name) is tapped"]
            }]
        }
        list.gestures.append(GestureRecognizer(.pan) { [unowned list] state in
            scrolled(state)
            list.layer.contents = ["the list is dragged"]
        })
    }
}

/// Notes what happens to it; for the first touch, also the stack.
final class TouchedView: View {
    nonisolated(unsafe) static var firstStack: [String] = [] // on the main thread alone

    override func hitTest(column: Int, row: Int) -> View? {
        let hit = super.hitTest(column: column, row: row)
        if hit === self { lab.callout(.source0, "hit test", name) }
        return hit
    }

    @inline(never)
    override func touchesBegan(_ touch: Touch) {
        lab.callout(.source0, "touch began", name)
        layer.contents = ["\(name) is touched"]
        guard Self.firstStack.isEmpty else { return }
        Self.firstStack = stack(from: #function)
        let outermost = Self.firstStack.firstIndex { $0.hasPrefix("Application.run(") } ?? Self.firstStack.count - 1
        for frame in Self.firstStack[...outermost] { lab.note("frame", frame) } // the frames further out are the lab's
    }

    override func touchesEnded(_ touch: Touch) {
        lab.callout(.source0, "touch ended", name)
    }

    override func touchesCancelled(_ touch: Touch) {
        lab.callout(.source0, "touch cancelled", "\(name): a gesture was recognised")
    }
}
