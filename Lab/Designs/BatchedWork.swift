// BatchedWork.swift: large work in batches, one in each pass of a run loop, so that the loop can do other work in between. (A7)
//
// (In article 4 the next batch is a block that the delayed perform holds as its argument. Here it is this object.)

import SwiftRunLoop

/// Processes many items on the run loop of the thread that starts it.
final class BatchedWork<Item> {
    private var rest: ArraySlice<Item>
    private let batchSize: Int
    private let modes: [RunLoop.Mode]
    private let process: (ArraySlice<Item>) -> Void
    private let finish: () -> Void
    private var next: PerformRequest?
    private var isCancelled = false

    /// - Parameters:
    ///   - batchSize: how many items are processed in one pass, at least 1.
    ///   - modes: the modes in which batches are processed; with the default mode alone, the work pauses while the user scrolls.
    ///   - process: called with each batch, in a pool of its own.
    ///   - finish: called after the last batch.
    init(_ items: [Item], batchSize: Int, modes: [RunLoop.Mode] = [.default],
         process: @escaping (ArraySlice<Item>) -> Void, finish: @escaping () -> Void) {
        precondition(batchSize > 0, "a batch has at least one item")
        rest = items[...]
        (self.batchSize, self.modes, self.process, self.finish) = (batchSize, modes, process, finish)
    }

    /// Begins in the next pass of the calling thread's loop. The loop retains the work until it is done or cancelled.
    func start() {
        nonisolated(unsafe) let work = self // it stays on this thread
        next = RunLoop.current.perform(afterDelay: 0, inModes: modes) { work.processBatch() }
    }

    /// Leaves out the remaining batches. `finish` is not called.
    func cancel() {
        isCancelled = true
        next?.cancel()
    }

    /// How many items are left.
    var remaining: Int { rest.count }

    private func processBatch() {
        let batch = rest.prefix(batchSize)
        rest = rest.dropFirst(batchSize)
        if !batch.isEmpty { autoreleasepool { process(batch) } }
        if isCancelled { return }
        if rest.isEmpty { finish() } else { start() }
    }
}
