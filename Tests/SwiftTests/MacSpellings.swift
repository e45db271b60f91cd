// MacSpellings.swift: Foundation's own names, in a file that imports Foundation through SwiftRunLoopFoundation alone. XCTest would import it,
// too, and then the names mean Foundation's methods.
import SwiftRunLoopFoundation

/// What a program that was written for a Mac calls, each for the calling thread's loop.
enum MacSpelling: CaseIterable {
    case plain, withModes, withOurModes, withFoundationsModes, withNil

    func read(_ handle: FileHandle) {
        switch self {
        case .plain: handle.readInBackgroundAndNotify()
        case .withModes: handle.readInBackgroundAndNotify(forModes: [.default, .common])
        case .withOurModes: handle.readInBackgroundAndNotify(forModes: [RunLoop.Mode.default])
        case .withFoundationsModes: handle.readInBackgroundAndNotify(forModes: [Foundation.RunLoop.Mode.default])
        case .withNil: handle.readInBackgroundAndNotify(forModes: nil)
        }
    }

    func readToEnd(_ handle: FileHandle) {
        switch self {
        case .plain: handle.readToEndOfFileInBackgroundAndNotify()
        case .withModes: handle.readToEndOfFileInBackgroundAndNotify(forModes: [.default, .common])
        case .withOurModes: handle.readToEndOfFileInBackgroundAndNotify(forModes: [RunLoop.Mode.default])
        case .withFoundationsModes: handle.readToEndOfFileInBackgroundAndNotify(forModes: [Foundation.RunLoop.Mode.default])
        case .withNil: handle.readToEndOfFileInBackgroundAndNotify(forModes: nil)
        }
    }

    func waitForData(_ handle: FileHandle) {
        switch self {
        case .plain: handle.waitForDataInBackgroundAndNotify()
        case .withModes: handle.waitForDataInBackgroundAndNotify(forModes: [.default, .common])
        case .withOurModes: handle.waitForDataInBackgroundAndNotify(forModes: [RunLoop.Mode.default])
        case .withFoundationsModes: handle.waitForDataInBackgroundAndNotify(forModes: [Foundation.RunLoop.Mode.default])
        case .withNil: handle.waitForDataInBackgroundAndNotify(forModes: nil)
        }
    }

    func accept(_ handle: FileHandle) {
        switch self {
        case .plain: handle.acceptConnectionInBackgroundAndNotify()
        case .withModes: handle.acceptConnectionInBackgroundAndNotify(forModes: [.default, .common])
        case .withOurModes: handle.acceptConnectionInBackgroundAndNotify(forModes: [RunLoop.Mode.default])
        case .withFoundationsModes: handle.acceptConnectionInBackgroundAndNotify(forModes: [Foundation.RunLoop.Mode.default])
        case .withNil: handle.acceptConnectionInBackgroundAndNotify(forModes: nil)
        }
    }

    static func waitUntilExit(_ process: Process) { process.waitUntilExit() }
}
