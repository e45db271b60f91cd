// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "GLibHost",
    dependencies: [.package(name: "RunLoop", path: "../../..")],
    targets: [
        .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .executableTarget(name: "GLibHost", dependencies: ["CGLib", .product(name: "SwiftRunLoop", package: "RunLoop")]),
    ],
    swiftLanguageModes: [.v6]
)
