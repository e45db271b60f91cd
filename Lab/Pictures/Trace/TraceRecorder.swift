// TraceRecorder.swift: makes the C library trace all loops, and collects the events.

import CRunLoop
import CRunLoopDiagnostics
import Glibc
import Synchronization

/// A recorded trace: its events, and the names of the threads.
struct Trace: Sendable {
    /// A row of an experiment's transcript.
    struct Mark: Sendable {
        /// Nanoseconds on CLOCK_MONOTONIC.
        var time: UInt64
        var thread: Int32
        var text: String
    }

    /// What the trace shows.
    var title: String
    /// In the order in which they were recorded.
    var events: [TraceEvent]
    /// The number of events that did not fit into the buffer.
    var lost: UInt64
    /// By the thread's id in the system.
    var threadNames: [Int32: String]
    var marks: [Mark] = []
}

/// Records while it exists. A thread without a loop fetches the events every few milliseconds.
final class TraceRecorder: Sendable {
    private struct Collected {
        var events: [TraceEvent] = []
        /// How many did not fit.
        var excess: UInt64 = 0
        var names: [Int32: String] = [:]
        /// The thread that last woke each loop or signalled each source, until the loop serves that.
        var senders: [UnsafeRawPointer: Int32] = [:]
        /// The thread whose wake-up each loop served last.
        var wakers: [UnsafeRawPointer: Int32] = [:]

        mutating func append(_ event: CFRunLoopTraceEvent) {
            var new = TraceEvent(event)
            switch event.kind {
            case .wakeUpSent: senders[event.loop] = event.thread
            case .sourceSignalled: senders[event.item] = event.thread
            case .serves where event.reason == .wokenUp:
                new.sender = senders.removeValue(forKey: event.loop) ?? 0
                wakers[event.loop] = new.sender
            case .calloutBegins where new.callout == .source0: new.sender = senders.removeValue(forKey: event.item) ?? 0
            default: break
            }
            events.append(new)
        }
    }

    private let collected = Mutex(Collected())
    private let isOver = Atomic(false)
    private nonisolated(unsafe) var collector = pthread_t() // written before any other thread knows the recorder

    /// The most events that are kept: more than anybody looks at.
    private static let limit = 100_000

    /// The one that records at present.
    static let current = Mutex<TraceRecorder?>(nil)

    /// The thread whose wake-up the loop served last; 0 if there was none.
    func waker(of loop: CFRunLoop) -> Int32 {
        collect()
        return collected.withLock { $0.wakers[UnsafeRawPointer(Unmanaged.passUnretained(loop).toOpaque())] ?? 0 }
    }

    /// Begins to record. There can be one recorder at a time.
    init() {
        precondition(CRunLoopTraceStart(), "a trace is on already, or there is no memory for one")
        Self.current.withLock { $0 = self }
        let error = pthread_create(&collector, nil, { argument in
            Unmanaged<TraceRecorder>.fromOpaque(argument!).takeRetainedValue().collectUntilTheEnd()
            return nil
        }, Unmanaged.passRetained(self).toOpaque())
        if error != 0 { fail(Text("no thread to collect the trace: \(reason(error))", "无法创建收集跟踪数据的线程：\(reason(error))"), status: 1) }
    }

    /// Records what happens in `body`.
    static func record(_ title: String, _ body: () -> Void) -> Trace {
        let recorder = TraceRecorder()
        body()
        return recorder.finish(title)
    }

    /// Ends the recording. Call this once.
    func finish(_ title: String) -> Trace {
        Self.current.withLock { $0 = nil }
        CRunLoopTraceStop()
        isOver.store(true, ordering: .sequentiallyConsistent)
        pthread_join(collector, nil)
        return collected.withLock {
            Trace(title: title, events: $0.events, lost: CRunLoopTraceGetLostCount() + $0.excess, threadNames: $0.names)
        }
    }

    // MARK: - The collector

    private func collectUntilTheEnd() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil) // leaves signals to the threads of the program
        while !isOver.load(ordering: .sequentiallyConsistent) {
            collect()
            usleep(5000)
        }
        while collect() > 0 {}
    }

    @discardableResult
    private func collect() -> Int {
        collected.withLock { collected in
            let known = collected.events.count
            if known >= Self.limit {
                let more = UInt64(CRunLoopTraceReceive({ _, _ in }, nil))
                collected.excess += more
                return Int(more)
            }
            withUnsafeMutablePointer(to: &collected) { collected in
                _ = CRunLoopTraceReceive({ event, collected in
                    collected!.assumingMemoryBound(to: Collected.self).pointee.append(event!.pointee)
                }, collected)
            }
            for event in collected.events[known...] where collected.names[event.thread] == nil {
                collected.names[event.thread] = SystemThread.name(of: event.thread) ?? "thread \(collected.names.count + 1)"
            }
            return collected.events.count - known
        }
    }
}
