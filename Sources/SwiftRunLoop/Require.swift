// Require.swift: what only a mistake of the program can make false.

#if os(Linux)
/// Ends the program with these words if the condition is false.
///
/// Unlike `precondition`, which says nothing in a release build, this has its words in every build.
@inline(__always)
package func require(
    _ condition: Bool, _ words: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !condition { fatalError(words(), file: file, line: line) }
}
#endif
