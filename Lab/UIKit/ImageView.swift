// ImageView.swift: a view that shows an image, as UIImageView.

import SwiftRunLoop

/// A view that shows an image. Use it only on the main thread, as on a Mac.
final class ImageView: Performing {
    /// Called when an image is shown. On a Mac this takes time: the image is decoded and drawn.
    private let didShow: (String) -> Void
    private(set) var image: String?

    init(didShow: @escaping (String) -> Void) {
        self.didShow = didShow
    }

    func setImage(_ image: String) {
        self.image = image
        didShow(image)
    }
}
