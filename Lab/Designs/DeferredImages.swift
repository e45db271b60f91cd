// DeferredImages.swift: images that are shown only while the user is not scrolling. (A4)

import Dispatch
import SwiftRunLoop

/// A view that shows an image. Use it only on the main thread, as on a Mac.
final class ImageView: Performing {
    /// Called when an image is shown. On a Mac this takes time: the image is decoded and drawn.
    private let didShow: (String) -> Void
    private(set) var image: String?

    init(didShow: @escaping (String) -> Void) {
        self.didShow = didShow
    }

    func show(_ image: String) {
        self.image = image
        didShow(image)
    }

    /// The name that UIImageView has for it.
    func setImage(_ image: String) { show(image) }
}

/// Loads images on another thread, and shows them on the main thread when that has time.
struct DeferredImages: Sendable {
    /// The modes in which an image may be shown. With the default mode alone, an image waits while the loop tracks.
    var modes: [RunLoop.Mode] = [.default]
    /// Called on another thread. Returns when the image is loaded.
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
