// The shape of a command-line tool with an argument parser: the library has the main function, and calls the tool's.

import Shared
import SwiftRunLoop

protocol Command {
    init()
    mutating func run() async throws
}

struct Failure: Error {
    var code: Int32
}

extension Command {
    static func main() async {
        await main(arguments: Array(CommandLine.arguments.dropFirst()))
    }

    static func main(arguments: [String]) async {
        do {
            var command: any Command = arguments.first == "fails" ? Fails() : Works()
            try await command.run()
        } catch let error as Failure {
            say("Error: \(error.code)")
            exit(error.code)
        } catch {
            exit(1)
        }
    }
}

struct Works: Command {
    func run() async throws { try await useMainThread() }
}

struct Fails: Command {
    func run() async throws {
        try await Task.sleep(nanoseconds: 1_000_000)
        throw Failure(code: 64)
    }
}

@main struct Tool: Command {
    func run() async throws {}
}
