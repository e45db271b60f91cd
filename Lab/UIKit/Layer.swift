// Layer.swift: layers, and the observer that commits their changes. (O4)
//
// Layers are changed on the main thread and shown together when the loop is about to sleep: an observer of BeforeWaiting and Exit commits
// the changes (on a Mac, CATransaction's observer).

import SwiftRunLoop

/// A part of the screen with a picture of its own. Use it only on the main thread.
final class Layer {
    /// The picture from the next commit on: rows of characters.
    var contents: [String] = [] {
        didSet { LayerTransaction.current.add(self) }
    }
}

/// The layers that have changed since the last commit. Use it only on the main thread.
final class LayerTransaction {
    nonisolated(unsafe) static let current = LayerTransaction() // used only on the main thread

    private(set) var changed: [Layer] = []
    private var views: [View] = []
    private var observer: RunLoop.Observer?
    private var show: ([Layer]) -> Void = { _ in }

    func add(_ layer: Layer) {
        if !changed.contains(where: { $0 === layer }) { changed.append(layer) }
    }

    /// A view has asked to be laid out or drawn.
    func add(_ view: View) {
        if !views.contains(where: { $0 === view }) { views.append(view) }
    }

    /// Lays out, draws and shows what has changed, now (CATransaction's flush). The observer does this when the loop is about to sleep.
    func flush() { commit(show) }

    /// Adds the observer to the main loop. As on a Mac, it comes after nearly all others, but before the pool's.
    /// - Parameter show: called at each commit with the layers, in the order of their changes, and the activity.
    func begin(show: @escaping ([Layer], RunLoop.Observer.Activity) -> Void) {
        end()
        let commits = Unowned(self) // called on the main thread
        nonisolated(unsafe) let show = show
        self.show = { show($0, .beforeWaiting) }
        let commit = RunLoop.Observer(activities: [.beforeWaiting, .exit], order: 2_000_000) { @Sendable _, activity in
            commits.object.commit { show($0, activity) }
        }
        RunLoop.main.add(commit, forMode: .common)
        observer = commit
    }

    /// Removes the observer. Uncommitted changes are dropped.
    func end() {
        observer?.invalidate()
        observer = nil
        changed = []
        views = []
        show = { _ in }
    }

    private func commit(_ show: ([Layer]) -> Void) {
        while !views.isEmpty { views.removeFirst().update() } // which may ask for more
        let layers = changed
        changed = []
        if !layers.isEmpty { show(layers) }
    }
}
