// main.swift: the experiments of RunLoopLab on the loop of the toolchain's Foundation. RunLoopLab runs this to compare.
//
// Lab and Experiments are links to folders of RunLoopLab. What they need beyond Foundation's API is in FoundationInterface.swift.

import Glibc

_ = ClosedDescriptors.atTheStart // before anything else is opened
var words = Array(CommandLine.arguments.dropFirst())
if let place = words.firstIndex(of: "--lang"), place + 1 < words.count, let language = Language(rawValue: words[place + 1]) {
    Language.current = language
    words.removeSubrange(place...place + 1)
}
let options: Set = ["--fast", "--record"]

guard let name = words.first, let experiment = comparableExperiments.first(where: { $0.about.name == name }),
      words.dropFirst().allSatisfy(options.contains) else {
    let names = comparableExperiments.map(\.about.name).joined(separator: ", ")
    fail(Text("usage: RunLoopLabOnFoundation NAME [--fast] [--record], where NAME is one of \(names)",
              "用法：RunLoopLabOnFoundation NAME [--fast] [--record]，NAME 是其中之一：\(names)"), status: 2)
}
exit(ExperimentRun(experiment, isFast: words.contains("--fast"), asRecord: words.contains("--record")).perform())
