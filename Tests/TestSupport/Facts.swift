import Foundation
import XCTest

/// What the sources define, the tests, the names of the original, and the documents, as `Facts/annotations --data` prints them.
package struct Facts: Decodable {
    package enum Kind: String, Decodable {
        case function, prototype, variable, externvar, macro, typedef, enumerator, member, `struct`, `union`, `enum`

        package var isDeclaration: Bool { self == .prototype || self == .externvar }
        package var isType: Bool { [.typedef, .struct, .union, .enum].contains(self) }
    }

    /// A definition of the library.
    package struct Symbol: Decodable {
        package var name: String
        package var kind: Kind
        package var file: String
        package var line: Int
        /// For a field, the struct or union that it is in.
        package var scope: String
        /// Whether a comment at the definition says what it is.
        package var isExplained: Bool
    }

    package struct Swift: Decodable {
        package var names: Set<String>
        /// As in `perform(on:waitUntilDone:modes:_:)`.
        package var signatures: Set<String>
        package var words: Set<String>
    }

    /// What a name is in the original, and the versions that have it.
    package struct Original: Decodable {
        package var kind: String
        package var versions: Set<String>
    }

    package let symbols: [Symbol]
    /// The words in the code of each file of the library and of Lab/CFSocket.
    package let words: [String: Set<String>]
    package let swift: Swift
    /// The steps in a function of CFRunLoop.c, from top to bottom, and the words of its code by the step that they are in; "" is outside of all.
    package struct Steps: Decodable {
        package var markers: [String]
        package var words: [String: Set<String>]
    }

    package let steps: [String: Steps]
    /// The names of the C tests, of the scenarios and of the Swift tests.
    package let tests: Set<String>
    package let originals: [String: [Original]]
    /// By their paths.
    package let documents: [String: Document]

    /// A test that asks for facts reads them first, in `setUpWithError`, which skips it where there is no Python.
    package static let read = Result<Facts, any Error> { try answerOfPython(["Facts/annotations", "--data"]) }

    package static let all = try! read.get()

    package static func document(_ path: String) throws -> Document {
        let documents = try read.get().documents // not within XCTUnwrap, which would make a failure of a skip
        return try XCTUnwrap(documents[path], path)
    }

    package static let byName = Dictionary(grouping: all.symbols, by: \.name)

    /// Whether one of the definitions and declarations of a name has a comment; of a field, its own.
    package static func isExplained(_ symbol: Symbol) -> Bool {
        symbol.isExplained || symbol.kind != .member && byName[symbol.name]!.contains(where: \.isExplained)
    }

    package static func isFunction(_ name: String) -> Bool { byName[name]?.contains { $0.kind == .function } ?? false }

    /// Whether one of these files defines the name, or has a local variable of that name while no file defines it.
    package static func isDefined(_ name: String, in files: [String]) -> Bool {
        let definitions = (byName[name] ?? []).filter { !$0.kind.isDeclaration }
        if definitions.isEmpty { return files.contains { all.words[$0]?.contains(name) ?? false } }
        return definitions.contains { files.contains($0.file) }
    }

    /// The steps in which the run itself, or a function that the run calls, calls a function.
    package static func steps(of function: String) -> Set<String> {
        var found: Set<String> = [], seen: Set = [function], left = [function]
        while let name = left.popLast() {
            for (caller, steps) in all.steps {
                for (step, words) in steps.words where words.contains(name) {
                    if step != "" { found.insert(step) } else if seen.insert(caller).inserted { left.append(caller) }
                }
            }
        }
        return found
    }

    /// The versions of the original that have a name: as a field of a struct or, for "", as anything but a field.
    package static func versions(of name: String, fieldOf owner: String) -> Set<String> {
        (all.originals[name] ?? []).reduce(into: []) { found, original in
            let isMeant = owner == "" ? !original.kind.hasPrefix("field of") : "\(original.kind) ".hasPrefix("field of \(owner) ")
            if isMeant { found.formUnion(original.versions) }
        }
    }

    /// The original's names of some kinds, without remarks in parentheses: `function` stands for `function (CFPriv.h)` as well.
    package static func originals(ofKinds kinds: Set<String>) -> [String] {
        all.originals.filter { $0.value.contains { kinds.contains($0.kind) || kinds.contains($0.kind.replacing(#/ \(.*\)$/#, with: "")) } }.keys.sorted()
    }
}
