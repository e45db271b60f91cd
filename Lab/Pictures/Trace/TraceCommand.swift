// TraceCommand.swift: `RunLoopLab trace NAME --out FILE`.

import Glibc
import Synchronization

/// Runs a program or the tour, and writes what its loops did into a file.
struct TraceCommand {
    private let file: String

    init(file: String?) {
        guard let file else { fail(Text("'trace' needs an output file; usage: trace NAME --out FILE", "“trace”需要一个输出文件；用法：trace NAME --out FILE"), status: 2) }
        self.file = file
    }

    /// Traces a program, in one form, and returns its exit status. After Ctrl-C, it writes the events until then. A program that records its
    /// loops itself cannot be traced.
    @MainActor
    func run(_ program: any Program, _ form: Form, isFast: Bool) -> Int32 {
        let about = program.about
        if about.tracesItself {
            fail(Text("\(about.name) records what its loops do itself, and prints it: run \(about.command)", "\(about.name) 自己记录 RunLoop 做了什么并打印出来：请运行 \(about.command)"), status: 2)
        }
        let target = Target(path: file)
        return ProgramRun(program, form, isFast: isFast, tracing: true) { target.write(Timeline($0)) }.perform()
    }

    /// Traces the tour, which `body` runs.
    @MainActor
    func runTour(_ body: () -> Int32) -> Int32 {
        let target = Target(path: file)
        var status: Int32 = 0
        let trace = TraceRecorder.record(Text("tour: one run of the main thread's loop", "tour：主线程 RunLoop 的一次运行").description) { status = body() }
        target.write(Timeline(trace))
        return status
    }
}

/// The output file. It is opened before the run and written once.
private final class Target: Sendable {
    private let path: String
    private let descriptor: Int32
    private let isWritten = Mutex(false)

    init(path: String) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        if descriptor < 0 { cannotWrite(path) }
    }

    /// Writes on the first call. If Ctrl-C comes meanwhile, the second call waits until the first is done.
    func write(_ timeline: Timeline) {
        isWritten.withLock { isWritten in
            if !isWritten { writeAll(timeline) }
            isWritten = true
        }
    }

    private func writeAll(_ timeline: Timeline) {
        var bytes = Array(TraceText(timeline: timeline).text.utf8)[...]
        ftruncate(descriptor, 0)
        if !RunLoopLab.write(&bytes, to: descriptor) { cannotWrite(path) }
        let threads = timeline.lanes.count, time = decimals(timeline.seconds(timeline.end), 3)
        let lost = timeline.lost > 0 ? Text("; \(timeline.lost) events did not fit into the buffer and are missing", "；缓冲区装不下，缺少 \(timeline.lost) 个事件")
            : .none
        let output = Output()
        output.line("")
        output.line(Text("Traced: \(time) s on \(count(threads, "thread")), written to \(path)\(lost)", "已跟踪：\(time) 秒，\(threads) 个线程，写入 \(path)\(lost)").description)
        output.flush()
    }
}

extension Trace {
    /// Takes over the program's events and the names of its threads.
    mutating func take(_ lab: Lab) {
        let known = lab.threadNames
        for (thread, name) in known { threadNames[thread] = name }
        let lives = Dictionary(grouping: events, by: \.thread).mapValues { $0.first!.time...$0.last!.time }
        marks += lab.events.map { event in
            let detail = event.detail.contains(stackSeparator) ? event.detail : shown(event.detail)
            let text = event.name == linesLogged ? detail : detail == "" ? shown(event.name) : "\(shown(event.name))\(Text(": ", "："))\(detail)"
            let time = UInt64((lab.start + event.time) * 1e9)
            let threads = known.filter { $0.value == event.thread }.keys
            let nearest = threads.min { Self.distance(time, lives[$0]) < Self.distance(time, lives[$1]) }
            return Mark(time: time, thread: nearest ?? getpid(), text: text)
        }
    }

    /// The distance of a time from a thread's life. Successive threads may have the same name, and the nearest one is meant.
    private static func distance(_ time: UInt64, _ life: ClosedRange<UInt64>?) -> UInt64 {
        guard let life else { return .max }
        return time < life.lowerBound ? life.lowerBound - time : time > life.upperBound ? time - life.upperBound : 0
    }
}
