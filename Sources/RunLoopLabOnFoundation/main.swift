// main.swift: the experiments of RunLoopLab on the loop of the toolchain's Foundation. RunLoopLab runs this to compare.
//
// Lab and Experiments are links to folders of RunLoopLab. What they need beyond Foundation's API is in FoundationInterface.swift.

import Glibc

_ = ClosedDescriptors.atTheStart // before anything else is opened
let words = CommandLine.arguments.dropFirst()
let options: Set = ["--fast", "--record"]

guard let name = words.first, let experiment = comparableExperiments.first(where: { $0.about.name == name }),
      words.dropFirst().allSatisfy(options.contains) else {
    fail("usage: RunLoopLabOnFoundation NAME [--fast] [--record], where NAME is one of "
        + comparableExperiments.map(\.about.name).joined(separator: ", "), status: 2)
}
exit(ExperimentRun(experiment, isFast: words.contains("--fast"), asRecord: words.contains("--record")).perform())
