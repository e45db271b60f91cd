// ExperimentRun.swift: one experiment, from its first line to its verdict.

import Glibc

/// Runs an experiment in this process. Call it once, on the main thread: an experiment needs an unused main loop.
struct ExperimentRun {
    let experiment: any Experiment
    let lab: Lab
    /// Called on Ctrl-C, on a thread of its own, before the process ends.
    var whenInterrupted: @Sendable () -> Void = {}

    init(_ experiment: any Experiment, isFast: Bool, asRecord: Bool = false) {
        self.experiment = experiment
        lab = Lab(isFast: isFast, page: Page(isRecord: asRecord))
    }

    /// Returns the exit status: 0 if all checks hold. Does not return after Ctrl-C.
    func perform() -> Int32 {
        catchInterrupts()
        giveUpWhenStuck()
        lab.page.introduce(experiment.about, isFast: lab.isFast)
        experiment.run(lab)
        let checks = lab.checks.withLock { $0 }
        lab.page.conclude(experiment.about, checks)
        return Verdict(checks).status
    }

    /// If a loop does not do what is claimed, an experiment may never end. Then that is the verdict.
    private func giveUpWhenStuck() {
        let page = lab.page, whenInterrupted = whenInterrupted, limit = experiment.about.longest
        after(limit) {
            whenInterrupted()
            page.gaveUp(after: limit)
            _exit(1)
        }
    }

    /// A thread without a loop receives SIGINT, whatever the loops are doing, and ends the process.
    private func catchInterrupts() {
        let page = lab.page, whenInterrupted = whenInterrupted
        onInterrupt {
            whenInterrupted()
            page.interrupted()
            _exit(128 + SIGINT)
        }
    }
}
