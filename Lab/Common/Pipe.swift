// Pipe.swift: a pipe, whose end to read from is the port of a source.

import Glibc

/// The two ends of a new pipe.
func makePipe() -> (readEnd: Int32, writeEnd: Int32) {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    return (ends[0], ends[1])
}
