// swift-tools-version: 6.2
import PackageDescription

/// A program that leaves its main thread to Swift's runtime, as without this package, depends on it with `traits: []`. On Darwin the trait
/// has no effect.
let mainHook = Trait.trait(name: "MainHook", description: "An async main runs RunLoop.main while it is suspended.")

/// Debug builds check that a lock is held where it must be, and that its holder gives it back (CFInternal.h).
let checkedLocks: CSetting = .define("CF_CHECK_LOCKS", .when(configuration: .debug))

/// The run loop is for Linux. On Darwin the system has it, and Foundation has its Swift layer: there, SwiftRunLoop, SwiftRunLoopAsync and
/// SwiftRunLoopFoundation export Foundation, and the targets in C compile to nothing.
func onLinux(_ target: String) -> Target.Dependency { .target(name: target, condition: .when(platforms: [.linux])) }

let systemLibraries: [LinkerSetting] = ["dispatch", "BlocksRuntime", "m"].map { .linkedLibrary($0, .when(platforms: [.linux])) }

/// Swift's debug information refers to the compiled module of each C header. gdb looks for these modules, and prints "Could not find DWO CU"
/// 1,571 times before it answers about RunLoopLab. The flag leaves out the references. No compiler promises to keep it, so a program that
/// depends on a version of this package is built without it: SwiftPM puts such a version into a folder of one of these names.
let isDependency = Context.packageDirectory.split(separator: "/").contains { ["checkouts", "registry"].contains($0) }
let quietInGDB: SwiftSetting = .unsafeFlags(["-Xfrontend", "-no-clang-module-breadcrumbs"], .when(platforms: [.linux]))

let package = Package(
    name: "RunLoop",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)], // those with the standard library's Mutex
    products: [
        .library(name: "CRunLoop", targets: ["CRunLoop"]),
        .library(name: "SwiftRunLoop", targets: ["SwiftRunLoop"]),
        .library(name: "SwiftRunLoopAsync", targets: ["SwiftRunLoopAsync"]),
        .library(name: "SwiftRunLoopFoundation", targets: ["SwiftRunLoopFoundation"]),
        .library(name: "RunLoopDiagnostics", targets: ["RunLoopDiagnostics"]),
    ],
    traits: [.default(enabledTraits: ["MainHook"]), mainHook],
    targets: [
        .target(name: "CRunLoop", sources: ["CRunLoop.c"], cSettings: [checkedLocks], linkerSettings: systemLibraries), // it includes the others
        .target(
            name: "CSwiftRunLoop", dependencies: ["CRunLoop"],
            cSettings: [.define("CRUNLOOP_MAIN_HOOK", .when(traits: ["MainHook"]))]
        ),
        .target(name: "SwiftRunLoop", dependencies: [onLinux("CRunLoop"), onLinux("CSwiftRunLoop")]),
        .target(name: "SwiftRunLoopAsync", dependencies: ["SwiftRunLoop", onLinux("CRunLoop"), onLinux("CSwiftRunLoop")]),
        .target(name: "CRunLoopFoundationHook"),
        .target(name: "SwiftRunLoopFoundation", dependencies: ["SwiftRunLoop", onLinux("CRunLoop"), onLinux("CRunLoopFoundationHook")]),
        .target(name: "CRunLoopDiagnostics", dependencies: [onLinux("CRunLoop")]),
        .target(name: "RunLoopDiagnostics", dependencies: ["SwiftRunLoop", onLinux("CRunLoop"), onLinux("CRunLoopDiagnostics")]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu17
)

// The lab, the bench and the tests are for whoever works on the package, and need Linux. So this is about the host; all of the above is about
// the platform that is built for.
#if os(Linux)
package.targets += [
    .target(name: "CRunLoopModel", path: "Programs/CRunLoopModel"),
    .target( // it has the library twice: on Linux, and, with static names, on the simulated kernel
        name: "CRunLoopPrograms", dependencies: ["CRunLoop", "CRunLoopModel", "CRunLoopTable"], path: "Programs/CRunLoopPrograms",
        sources: ["PlaySimulated.c", "PlayOnTable.c"], cSettings: [.headerSearchPath("../../Sources/CRunLoop/include")]
    ),
    .target(name: "CArticles", dependencies: ["CRunLoop", "CRunLoopDiagnostics", "CRunLoopModel"], path: "Lab/CArticles"),
    .target(name: "CRunLoopLabSocket", dependencies: ["CRunLoop"], path: "Lab/CFSocket"),
    .executableTarget(
        name: "RunLoopLab",
        dependencies: ["SwiftRunLoop", "RunLoopDiagnostics", "CRunLoop", "CRunLoopModel", "CRunLoopTable", "CRunLoopPrograms", "CRunLoopDiagnostics", "CArticles", "CRunLoopLabSocket"],
        path: "Lab", exclude: ["CArticles", "CFSocket", "README.md"]
    ),
    .target(name: "CRunLoopTable", dependencies: ["CRunLoop"], path: "Programs/CRunLoopTable"),
    .target(name: "CRunLoopBench", dependencies: ["CRunLoop", "CRunLoopTable"], path: "Bench/CRunLoopBench", cSettings: [.define("_GNU_SOURCE")]),
    .executableTarget(name: "RunLoopBench", dependencies: ["CRunLoopBench", "CRunLoopTable", "SwiftRunLoop"], path: "Bench/RunLoopBench"),
    .executableTarget( // it compiles the library itself, with the private functions extern
        name: "CTests", path: "Tests/CTests",
        cSettings: [
            checkedLocks, .headerSearchPath("../../Sources/CRunLoop/include"), .headerSearchPath("../../Sources/CRunLoopDiagnostics/include"),
        ],
        linkerSettings: systemLibraries
    ),
    .executableTarget(name: "CScenarios", dependencies: ["CRunLoop", "CRunLoopLabSocket"], path: "Tests/Programs/CScenarios"),
    .executableTarget(
        name: "Conformance", dependencies: ["CRunLoopTable", "CRunLoopModel"], path: "Programs/Conformance", exclude: ["README.md"],
        cSettings: [.headerSearchPath(".")], linkerSettings: [.linkedLibrary("m")]
    ),
    .target(name: "TestSupport", dependencies: ["SwiftRunLoop", "CRunLoop"], path: "Tests/TestSupport"),
    .testTarget( // the products: it needs nothing of the lab
        name: "SwiftTests", dependencies: ["SwiftRunLoop", "SwiftRunLoopAsync", "SwiftRunLoopFoundation", "RunLoopDiagnostics", "CRunLoop", "TestSupport"],
        path: "Tests/SwiftTests", plugins: ["CTestNames"]
    ),
    .testTarget(
        name: "LabTests", dependencies: ["RunLoopLab", "SwiftRunLoop", "CRunLoop", "CRunLoopLabSocket", "TestSupport"],
        path: "Tests/LabTests", exclude: ["Transcripts"]
    ),
    .testTarget(name: "ToolTests", dependencies: ["TestSupport"], path: "Tests/ToolTests"),
    .plugin(name: "CTestNames", capability: .buildTool(), path: "Tests/CTestNames"),
    .executableTarget(name: "SwiftScenarios", dependencies: ["SwiftRunLoop"], path: "Tests/Programs/SwiftScenarios"),
    .executableTarget(name: "SwiftChildren", dependencies: ["SwiftRunLoopAsync", "SwiftRunLoopFoundation", "RunLoopDiagnostics"], path: "Tests/Programs/SwiftChildren"),
]
#endif

for target in package.targets where !isDependency && target.type != .plugin {
    target.swiftSettings = (target.swiftSettings ?? []) + [quietInGDB]
}
