// GroupsInC.swift: the rows whose work is in C (CRunLoopBench/Rows.c, Memory.c), with their goals.

import CRunLoopBench

var groupsInC: [Group] {
    [
        Group("poll", [Row(name: "poll", title: "poll pass with one source", goals: [.toolchain: 0.12])],
              size: 1, most: 10000, stepped: 10, setUp: BenchSetUpSources, BenchPoll),
        Group("signal", [Row(name: "signal-1", title: "signal and poll pass, one source", goals: [.toolchain: 1])],
              size: 1, most: 10000, stepped: 10, setUp: BenchSetUpSources, BenchSignalAndPoll),
        Group("signal", [Row(name: "signal-100", title: "signal and poll pass, one of 100", goals: [.toolchain: 1])],
              size: 100, most: 10000, setUp: BenchSetUpSources, BenchSignalAndPoll),
        Group("hops", [Row(name: "hop", title: "two threads wake each other, one core (CPU)",
                                   goals: [.toolchain: 0.5, .floor: 1.2, .libuv: 1])],
              most: 5000, setUp: BenchSetUpRoundTrip, BenchRoundTrips),
        Group("hops", [Row(name: "hop-2-cores", title: "two threads wake each other, two cores (time)")],
              processors: 2, most: 5000, setUp: BenchSetUpRoundTrip, BenchRoundTrips),
        Group("source-1", [Row(name: "source-1", title: "version 1 source: one event", goals: [.toolchain: 1])],
              size: 1, most: 5000, stepped: 10, setUp: BenchSetUpReaders, BenchEventAfterEvent),
        Group("ready-64", [Row(name: "ready-64", title: "64 descriptors ready at once: each", goals: [.toolchain: 1])],
              size: 64, most: 200, stepped: 1, setUp: BenchSetUpReaders, BenchAllAtOnce),
        Group("limit", [Row(name: "limit", title: "run with a limit, handles a source (CPU)", goals: [.toolchain: 0.12])],
              size: 1, most: 5000, setUp: BenchSetUpSources, BenchLimitedRuns),
        Group("block", [Row(name: "block", title: "block queued and performed, of 100", goals: [.toolchain: 0.8])],
              size: 1, most: 200, stepped: 1, setUp: BenchSetUpSources, BenchPerformBlocks),
        changes(ofTimersAmong: 1000, "1,000", goalOfMoves: 1),
        changes(ofTimersAmong: 100_000, "100,000", goalOfMoves: 0.2),
        Group("due", [Row(name: "due-100", title: "100 timers due at once: each")],
              size: 100, setUp: BenchSetUpDue, BenchDueTimers),
        Group("idle-tick", [Row(name: "idle-tick", title: "tick of an idle loop, 100 a second (CPU)", goals: [.toolchain: 1])],
              size: 1, most: 25, least: 25, setUp: BenchSetUpSources, BenchTicks),
        Group("thread", [Row(name: "thread", title: "thread that makes, uses, drops a loop (CPU)", goals: [.toolchain: 0.8])],
              most: 500, BenchStartThreads),
        Group("memory", [
            Row(name: "memory-loop", title: "heap: a loop", unit: .bytes, goals: [.toolchain: 1]),
            Row(name: "memory-mode", title: "heap: a mode that has been run", unit: .bytes, goals: [.toolchain: 1]),
            Row(name: "memory-source-0", title: "heap: a version 0 source", unit: .bytes, goals: [.toolchain: 1]),
            Row(name: "memory-source-1", title: "heap: a version 1 source", unit: .bytes, goals: [.toolchain: 1]),
            Row(name: "memory-timer", title: "heap: a timer", unit: .bytes, goals: [.toolchain: 1]),
            Row(name: "memory-observer", title: "heap: an observer", unit: .bytes),
            Row(name: "memory-block", title: "heap: a block that waits", unit: .bytes),
        ], isCounted: true, BenchMeasureMemory),
    ]
}

private func changes(ofTimersAmong size: Int, _ words: String, goalOfMoves: Double) -> Group {
    func row(_ change: String, _ done: String, _ goal: Double) -> Row {
        Row(name: "timer-\(change)-\(size)", title: "timer \(done) among \(words)", goals: [.toolchain: goal])
    }
    return Group("timers", [row("add", "added", 1), row("move", "moved", goalOfMoves), row("invalidate", "invalidated", 1)],
                 size: size, most: BenchMostNewTimers, setUp: BenchSetUpTimers, BenchChangeTimers)
}
