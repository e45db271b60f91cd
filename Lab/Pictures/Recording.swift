// Recording.swift: runs a program for a figure, and keeps what it recorded.

import Glibc

/// What a program did: its trace, and what it noted. All times are seconds since the trace began.
struct Recording {
    let timeline: Timeline
    let runs: [[Event]]
    /// Those of the only program.
    var events: [Event] { runs[0] }

    // MARK: - Recording

    /// Runs an experiment, or a program of the articles.
    @MainActor
    init(of name: String) { self.init(of: [(name, .asWritten)]) }

    /// Runs programs one after the other. If a check fails, nothing may be drawn.
    @MainActor
    init(of programs: [(name: String, form: Form)]) {
        let runs = programs.map { ProgramRun(Catalog.program(named: $0.name)!, $0.form, isFast: true) }
        self.init(runs.map(\.lab), of: programs[0].name) { runs.reduce(0) { max($0, $1.perform()) } }
    }

    /// Runs a scene that was made for a figure.
    @MainActor
    init(_ name: String, _ scene: (Lab) -> Void) {
        let lab = Lab(isFast: true, page: Page(isRecord: false, hasRows: false))
        self.init([lab], of: name) {
            scene(lab)
            return 0
        }
    }

    /// What the program prints goes to /dev/null.
    @MainActor
    private init(_ labs: [Lab], of name: String, _ body: () -> Int32) {
        let output = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        dup2(nowhere, STDOUT_FILENO)
        var status: Int32 = 0
        var trace = TraceRecorder.record(name) { status = body() }
        dup2(output, STDOUT_FILENO)
        close(output)
        close(nowhere)
        if status != 0 { fail(Text("'\(name)' did not do what it should, so there is nothing to draw; try again, or run it to see why", "“\(name)”没有按预期运行，没有可画的；请再试一次，或运行它看看原因"), status: 1) }
        for lab in labs { trace.take(lab) }
        let timeline = Timeline(trace), start = Double(timeline.start) / 1e9
        self.timeline = timeline
        runs = labs.map { lab in
            lab.events.map { event in
                var event = event
                event.time += lab.start - start
                return event
            }
        }
    }

    // MARK: - Looking things up

    /// The time of the first event with this name, from `start` on.
    func time(of name: String, after start: Double = 0, detail: String = "") -> Double {
        guard let event = events.first(where: { $0.name == name && $0.time >= start && $0.detail.hasPrefix(detail) }) else {
            fail(Text("the recording of '\(timeline.title)' has no '\(name)' after \(seconds(start)), so there is nothing to draw; try again", "“\(timeline.title)”的记录在 \(seconds(start)) 之后没有“\(name)”，没有可画的；请再试一次"), status: 1)
        }
        return event.time
    }

    func times(of name: String) -> [Double] { events.filter { $0.name == name }.map(\.time) }

    func times(ofLinesWith text: String) -> [Double] { events.filter { $0.name == linesLogged && $0.detail.contains(text) }.map(\.time) }

    struct Span {
        var from: Double, to: Double
        var span: Timeline.Span
    }

    /// The spans of a thread, in the order in which they began.
    func spans(on thread: String = "main", in range: ClosedRange<Double> = 0...1e9) -> [Span] {
        guard let lane = timeline.lanes.first(where: { $0.name == thread }) else { return [] }
        return lane.spans.map { Span(from: timeline.seconds($0.start), to: timeline.seconds($0.end), span: $0) }
            .filter { $0.to >= range.lowerBound && $0.from <= range.upperBound }
    }

    func sleeps(on thread: String = "main", in range: ClosedRange<Double> = 0...1e9) -> [Span] {
        spans(on: thread, in: range).filter { $0.span.kind == .sleep }
    }

    /// The innermost callout of a thread at a time.
    func callout(at time: Double, on thread: String = "main") -> Span? {
        spans(on: thread).last { isCallout($0.span.kind) && $0.from <= time && time <= $0.to }
    }

    /// The main thread's callouts to observers for an activity.
    func observers(_ activity: String) -> [Span] {
        spans().filter { $0.span.kind == .callout(.observer, activity: activity) }
    }

    /// The runs of a thread, as bars with their modes.
    func modes(on thread: String = "main", in range: ClosedRange<Double>) -> [Chart.Bar] {
        spans(on: thread, in: range).compactMap { span in
            guard case .run(let mode, 1) = span.span.kind else { return nil }
            let name = shortModeName(mode)
            return Chart.Bar(from: span.from, to: span.to, paint: name == "default" ? .mode : name == "tracking" ? .tracking : .plain, words: name)
        }
    }
}
