// ExperimentRun.swift: one experiment, from its first line to its verdict.

import Glibc

/// Runs an experiment in this process. To be called on the main thread, and once: an experiment wants a main loop that nobody has used.
struct ExperimentRun {
    let experiment: any Experiment
    let lab: Lab
    /// What is to be done on Ctrl-C before the process ends; called on a thread of its own.
    var whenInterrupted: @Sendable () -> Void = {}

    init(_ experiment: any Experiment, isFast: Bool, asRecord: Bool = false) {
        self.experiment = experiment
        lab = Lab(isFast: isFast, page: Page(isRecord: asRecord))
    }

    /// Returns the exit status: 0 if all was as claimed. On Ctrl-C it does not return.
    func perform() -> Int32 {
        catchInterrupts()
        if !(experiment is any ReadsEvents) { giveUpWhenStuck() } // that one may wait for the user
        lab.page.introduce(experiment.about, isFast: lab.isFast)
        experiment.run(lab)
        let checks = lab.checks.withLock { $0 }
        lab.page.conclude(experiment.about, checks)
        return Verdict(checks).status
    }

    /// A loop that does not do what is claimed may keep an experiment from its end: then that is the verdict.
    private func giveUpWhenStuck() {
        let page = lab.page, whenInterrupted = whenInterrupted, limit = experiment.about.longest
        after(limit) {
            whenInterrupted()
            page.gaveUp(after: limit)
            _exit(1)
        }
    }

    /// A thread of its own takes SIGINT, whatever the loops are doing, and ends the process. It has no loop and does not appear in any.
    private func catchInterrupts() {
        let page = lab.page, whenInterrupted = whenInterrupted
        onInterrupt {
            whenInterrupted() // first: a watch gives standard output back
            page.interrupted()
            _exit(128 + SIGINT)
        }
    }
}
