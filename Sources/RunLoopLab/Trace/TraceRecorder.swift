// TraceRecorder.swift: has the C library record what all loops do, and collects it.

import CRunLoop
import Glibc
import Synchronization

/// What was recorded: events, and what threads are called.
struct Trace: Sendable {
    /// What somebody has said about what he was doing: a row of an experiment's transcript.
    struct Mark: Sendable {
        /// Nanoseconds on CLOCK_MONOTONIC.
        var time: UInt64
        var thread: Int32
        var text: String
    }

    /// What it is a trace of.
    var title: String
    /// In the order in which they were recorded.
    var events: [TraceEvent]
    /// How many events are missing: there was no room for them.
    var lost: UInt64
    /// By the thread's number in the system.
    var threadNames: [Int32: String]
    var marks: [Mark] = []
}

/// Records while it exists. A thread of its own, which has no loop, fetches the events every few milliseconds.
final class TraceRecorder: Sendable {
    private struct Collected {
        var events: [TraceEvent] = []
        var names: [Int32: String] = [:]
    }

    private let collected = Mutex(Collected())
    private let isOver = Atomic(false)
    private nonisolated(unsafe) var collector = pthread_t() // written before anybody else knows of the recorder

    /// Begins to record. There is one recorder at a time.
    init() {
        precondition(CFRunLoopTraceStart(), "a trace is on already, or there is no memory for one")
        let error = pthread_create(&collector, nil, { argument in
            Unmanaged<TraceRecorder>.fromOpaque(argument!).takeRetainedValue().collectUntilTheEnd()
            return nil
        }, Unmanaged.passRetained(self).toOpaque())
        if error != 0 { fail("no thread to collect the trace: \(reason(error))", status: 1) }
    }

    /// Records what happens in `body`.
    static func record(_ title: String, _ body: () throws -> Void) rethrows -> Trace {
        let recorder = TraceRecorder()
        do {
            try body()
        } catch {
            _ = recorder.finish(title)
            throw error
        }
        return recorder.finish(title)
    }

    /// Ends the recording. To be called once.
    func finish(_ title: String) -> Trace {
        CFRunLoopTraceStop()
        isOver.store(true, ordering: .sequentiallyConsistent)
        pthread_join(collector, nil)
        return collected.withLock {
            Trace(title: title, events: $0.events, lost: CFRunLoopTraceGetLostCount(), threadNames: $0.names)
        }
    }

    // MARK: - The collector

    private func collectUntilTheEnd() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil) // signals are for the threads of the program
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
            withUnsafeMutablePointer(to: &collected.events) { events in
                _ = CFRunLoopTraceReceive({ event, events in
                    events!.assumingMemoryBound(to: [TraceEvent].self).pointee.append(TraceEvent(event!.pointee))
                }, events)
            }
            for event in collected.events[known...] where collected.names[event.thread] == nil {
                collected.names[event.thread] = SystemThread.name(of: event.thread) ?? "thread \(collected.names.count + 1)"
            }
            return collected.events.count - known
        }
    }
}
