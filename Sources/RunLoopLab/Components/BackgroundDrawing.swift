// BackgroundDrawing.swift: drawing on a background queue, committed on the main loop. (A9, O4)
//
// Layers are changed on the main thread, and shown all together when the loop is about to sleep: an observer of BeforeWaiting
// and Exit commits what has changed (on a Mac, CATransaction's). A layer that takes long to draw is drawn elsewhere, and
// changed when the picture is there.

import Dispatch
import SwiftRunLoop

/// A picture: rows of characters. Made by anybody, on any thread.
typealias Picture = [String]

/// Something on the screen with a picture of its own. On the main thread only.
final class Layer {
    /// What the layer is to look like from the next commit on.
    var contents: Picture = [] {
        didSet { LayerTransaction.current.add(self) }
    }

    /// Has `draw` make a new picture on a background queue, and the layer show it when it is there. A picture that was asked
    /// for later than another is never replaced by that one.
    func display(_ draw: @escaping @Sendable () -> Picture) {
        lastOrder += 1
        nonisolated(unsafe) let layer = self // used on the main thread alone
        let order = lastOrder
        DispatchQueue.global().async {
            let picture = draw()
            DispatchQueue.main.async {
                if order > layer.shownOrder { (layer.shownOrder, layer.contents) = (order, picture) }
            }
        }
    }

    private var lastOrder = 0, shownOrder = 0
}

/// The layers that have changed since the last commit. On the main thread only.
final class LayerTransaction {
    nonisolated(unsafe) static let current = LayerTransaction() // used on the main thread alone

    private(set) var changed: [Layer] = []
    private var observer: Observer?

    func add(_ layer: Layer) {
        if !changed.contains(where: { $0 === layer }) { changed.append(layer) }
    }

    /// Puts the observer into the main loop. As on a Mac it comes after nearly all others, but before the pool's.
    /// - Parameter show: called with the layers of each commit, in the order in which they were changed, and the activity at
    ///   which it is made.
    func begin(show: @escaping ([Layer], Observer.Activity) -> Void) {
        end()
        let commits = Unowned(self) // called on the main thread
        nonisolated(unsafe) let show = show
        observer = Observer(activities: [.beforeWaiting, .exit], order: 2_000_000) { _, activity in
            commits.object.commit { show($0, activity) }
        }
        observer?.add(to: .main, forMode: .common)
    }

    /// What was changed and not been committed is forgotten.
    func end() {
        observer?.invalidate()
        observer = nil
        changed = []
    }

    private func commit(_ show: ([Layer]) -> Void) {
        let layers = changed
        changed = []
        if !layers.isEmpty { show(layers) }
    }
}
