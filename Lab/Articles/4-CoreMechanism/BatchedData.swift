// Article 4, 〈分批处理〉: 4.23.
//
// 250 items in batches of 100, each by a delayed perform. What to see: the listing does not compile; with one word more it works.

import SwiftRunLoop

// MARK: - The listing

/// A block as an object, because Swift has no weak references to closures.
private final class Block {
    private let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
    func callAsFunction() { body() }
}

private final class Processor: Performing {
    private(set) weak var lastBlock: Block?

    func processBatchedData(_ data: [Int]) {
        let count = data.count
        var processedCount = 0 // __block: the cure
        let batchSize = 100

        weak var weakProcessBatch: Block?
        let processBatch = Block { [self] in
            let currentBatchSize = min(batchSize, count - processedCount)
            self.processBatch(data[processedCount..<processedCount + currentBatchSize])
            processedCount += currentBatchSize
            if processedCount < count {
                // the next batch, in a later pass
                perform(Processor.executeProcessBatch, with: weakProcessBatch, afterDelay: 0.01)
            } else {
                allBatchesProcessed()
            }
        }
        weakProcessBatch = processBatch
        processBatch()
        lastBlock = processBatch
    }

    private func executeProcessBatch(_ block: Block?) { block?() }

    private func processBatch(_ batch: ArraySlice<Int>) {
        NSLog("processBatch: \(batch.count)")
        lab.observe("batch")
        lab.observe("sum", value: Double(batch.reduce(0, +)))
        NSRunLoop.main.perform { lab.note("other work") }
    }

    private func allBatchesProcessed() {
        NSLog("allBatchesProcessed")
        lab.note("allBatchesProcessed")
    }
}

// MARK: - Telling and judging

struct BatchedData: Program {
    let about = About(article: "4.23", seconds: 0.1, isPair: true)

    private static let items = 250

    func run() {
        if form == .asWritten { return lab.compile(Self.listing) }
        let processor = Processor()
        processor.processBatchedData(Array(1...Self.items))
        lab.observe("the block", processor.lastBlock == nil ? "gone" : "alive")
        lab.run { lab.times("allBatchesProcessed") >= 1 }
        NSRunLoop.main.run(until: Date(timeIntervalSinceNow: 0.02)) // a perform too many would come now
    }

    /// The block of the listing, with what stands around it.
    private static let listing = ObjectiveCListing("""
        @interface Processor : NSObject
        @end
        @implementation Processor
        - (void)processBatchedData:(NSArray *)data {
            NSUInteger count = 250;
            NSUInteger processedCount = 0;
            NSUInteger batchSize = 100;
            __block __weak void (^weakProcessBatch)(void);
            void (^processBatch)(void) = ^{
                NSUInteger left = count - processedCount;
                NSUInteger currentBatchSize = batchSize < left ? batchSize : left;
                processedCount += currentBatchSize;
                if (processedCount < count) [self performSelector:@selector(executeProcessBatch:) withObject:weakProcessBatch afterDelay:0.01];
            };
            weakProcessBatch = processBatch;
            processBatch();
        }
        - (void)executeProcessBatch:(void (^)(void))block {
            if (block) block();
        }
        @end
        """)

    func judge() {
        if form == .asWritten { return lab.expectRefusal(["variable is not assignable (missing __block type specifier)"]) }
        lab.expect(Text("three batches, then the end, once", "三批，然后结束，只有一次"),
                   lines: ["processBatch: 100", "processBatch: 100", "processBatch: 50", "allBatchesProcessed"])
        lab.expect(Text("each item is processed once", "每一项处理一次"), of: "sum", is: Double(Self.items * (Self.items + 1) / 2)) { $0.values.reduce(0, +) }
        lab.expect(Text("other work is done between the batches", "批与批之间，其他任务得到执行"),
                   order: ["batch", "other work", "batch", "other work", "batch", "allBatchesProcessed"], to: "allBatchesProcessed")
        lab.expectFound(Text("when the first batch is over, only the delayed perform holds the block", "第一批之后，只有延迟执行持有这个 block"), of: "the block", ["alive"])
    }
}
