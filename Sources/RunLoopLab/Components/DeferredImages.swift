// DeferredImages.swift: images that are shown only while the user does not scroll. (A4)

import Dispatch
import SwiftRunLoop

/// A view that shows an image. On the main thread only, as on a Mac.
final class ImageView {
    /// What is called when an image is shown, which on a Mac is what costs the time: it is decoded and drawn.
    private let didShow: (String) -> Void
    private(set) var image: String?

    init(didShow: @escaping (String) -> Void) {
        self.didShow = didShow
    }

    func show(_ image: String) {
        self.image = image
        didShow(image)
    }
}

/// Loads images on another thread, and shows them on the main thread when it has time for that.
struct DeferredImages: Sendable {
    /// The modes in which an image may be shown. In the default mode alone it waits while the loop tracks; in the common modes
    /// it does not.
    var modes: [RunLoop.Mode] = [.default]
    /// Called on another thread; returns when the image is there.
    var load: @Sendable (_ name: String) -> String

    /// Begins to load the image for a view. Scrolling goes on meanwhile.
    func load(_ name: String, for view: ImageView) {
        nonisolated(unsafe) let view = view // used on the main thread alone
        DispatchQueue.global().async {
            let image = load(name)
            try? Thread.performOnMainThread(waitUntilDone: false, modes: modes) { view.show(image) }
        }
    }
}
