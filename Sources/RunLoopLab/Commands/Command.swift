// Command.swift: the commands of RunLoopLab and its command line.

/// A command of RunLoopLab.
struct Command: Sendable {
    /// An option and its value, as in the usage line.
    struct Option {
        var name: String
        var value: String?
        var isRequired = false

        /// The option as the user types it: "--fast", or "--out FILE".
        var words: String { name + (value.map { " " + $0 } ?? "") }
    }

    let name: String
    /// The operands, as in the usage line: "NAME", or "[NAME]" if it is optional.
    var operand: String?
    var options: [Option] = []
    let summary: String
    let action: Action

    /// What a command does.
    enum Action: Sendable {
        case list, all, article, wrong, diff, draw, app, explain, predict, compare, trace, watch, tour, help
        case experiment(any Experiment)
    }

    /// The arguments of a command.
    struct Arguments {
        /// The words after the command's name.
        var operands: [String] = []
        /// The first of them; empty if there is none.
        var operand: String { operands.first ?? "" }
        /// The options and their values. An option without a value has "".
        var options: [String: String] = [:]

        var isFast: Bool { options["--fast"] != nil }
        /// The experiment that the operand names. An unknown name ends the program.
        var experiment: any Experiment { Command.experiment(named: operand) }
    }

    /// All commands. The name of an experiment is a command, too.
    static let all = [
        Command(name: "list", summary: "list the experiments; the default command", action: .list),
        Command(name: "all", options: [fast],
                summary: "run all experiments, one after the other, and check what they claim", action: .all),
        Command(name: "article", operand: "[ID]", options: forms + [fast, record],
                summary: "list what the articles show, run an item (article 0.15), or run all of them (article all)", action: .article),
        Command(name: "wrong", options: [fast],
                summary: "run the articles' faulty listings beside their cures", action: .wrong),
        Command(name: "diff", operand: "[FILE FILE]",
                summary: "two printed loops with their differences marked: without a port and with one, or from two files", action: .diff),
        Command(name: "draw", operand: "[FIGURE] [FILE]",
                summary: "list the figures, draw one as SVG (draw G4 FILE), or all of them (draw all DIR)", action: .draw),
        Command(name: "app", options: [fast, events],
                summary: "a small application: drag its list and see the clocks, the images, the loop's mode and step; stall it", action: .app),
        Command(name: "explain", operand: "[NAME]", options: [Option(name: "--all"), Option(name: "--json")],
                summary: "show what a name of the articles or of the code is: here, in the original, in tests and experiments; --all --json has all of them",
                action: .explain),
        Command(name: "predict", options: [Option(name: "--seed", value: "N"), Option(name: "--level", value: "1-3")],
                summary: "a small random program: you say what its loop does next", action: .predict),
        Command(name: "compare", operand: "NAME", options: [fast],
                summary: "run an experiment on this loop and on the loop of the toolchain's Foundation", action: .compare),
        Command(name: "trace", operand: "NAME", options: [Option(name: "--out", value: "FILE", isRequired: true), fast],
                summary: "run an experiment or the tour, and write all that its loops do to a .json, .svg or .txt file", action: .trace),
        Command(name: "watch", operand: "[NAME]", options: [Option(name: "--seconds", value: "N"), fast],
                summary: "show the loops of an experiment, or of a demo program, live", action: .watch),
        Command(name: "tour", summary: "show one run of the main loop, step by step, with standard input as its source", action: .tour),
        Command(name: "help", summary: "show this help; also --help, alone or after a command", action: .help),
    ]
    static let fast = Option(name: "--fast")
    private static let forms = Form.allCases.map { Option(name: "--\($0.rawValue)") }
    private static let record = Option(name: "--record"), events = Option(name: "--events", value: "FILE")
    private static let helpWords: Set = ["help", "--help", "-h"]

    // MARK: - The command line

    /// Carries out a command line and returns the exit status. Misuse ends the program with one line.
    @MainActor
    static func perform(_ words: [String]) -> Int32 {
        let words = chooseLanguage(words)
        guard let name = words.first else { return list() }
        if helpWords.contains(name) || words.dropFirst().contains(where: helpWords.contains) { return help() }
        let command = named(name)
        return command.run(command.arguments(from: words.dropFirst()))
    }

    /// Every command takes `--lang`.
    private static func chooseLanguage(_ words: [String]) -> [String] {
        guard let place = words.firstIndex(of: "--lang") else { return words }
        let languages = Language.allCases.map(\.rawValue)
        guard place + 1 < words.count, let language = Language(rawValue: words[place + 1]) else {
            fail("after --lang comes a language: \(languages.joined(separator: " or "))", status: 2)
        }
        Language.current = language
        return Array(words[..<place] + words[(place + 2)...])
    }

    /// An unknown name ends the program with the nearest known name.
    private static func named(_ name: String) -> Command {
        if let command = all.first(where: { $0.name == name }) { return command }
        if let experiment = Catalog.named(name) { return command(for: experiment) }
        if let option = (all.flatMap(\.options) + [record, events]).first(where: { $0.name == name }) {
            fail("options come after the name: RunLoopLab NAME \(option.words)", status: 2)
        }
        let isOption = name.hasPrefix("-")
        let known = isOption ? ["--help"] : all.map(\.name) + Catalog.all.map(\.about.name)
        let kind = isOption ? "option" : "command or experiment"
        fail("there is no \(kind) '\(name)'; did you mean '\(nearest(to: name, among: known))'? --help lists all of them",
             status: 2)
    }

    private static func command(for experiment: any Experiment) -> Command {
        let input: [Option] = experiment is any ReadsEvents ? [events] : []
        return Command(name: experiment.about.name, options: [fast, record] + input, summary: experiment.about.shows,
                       action: .experiment(experiment))
    }

    private static func experiment(named name: String, orElse others: [String] = []) -> any Experiment {
        if let experiment = Catalog.named(name) { return experiment }
        let known = Catalog.all.map(\.about.name) + others
        fail("there is no experiment '\(name)'; did you mean '\(nearest(to: name, among: known))'? --help lists all of them", status: 2)
    }

    private func arguments(from words: ArraySlice<String>) -> Arguments {
        var arguments = Arguments(), words = words
        let most = operand?.split(separator: " ").count ?? 0
        while let word = words.popFirst() {
            if let option = options.first(where: { $0.name == word }) {
                if option.value != nil && words.isEmpty { fail("'\(word)' needs a value; usage: \(usage)", status: 2) }
                arguments.options[word] = option.value == nil ? "" : words.removeFirst()
            } else if word.hasPrefix("-") {
                let known = nearest(to: word, among: options.map(\.name) + ["--help"])
                fail("'\(name)' has no option '\(word)'; did you mean '\(known)'?", status: 2)
            } else if arguments.operands.count == most {
                fail("'\(name)' does not take the argument '\(word)'; usage: \(usage)", status: 2)
            } else {
                arguments.operands.append(word)
            }
        }
        if arguments.operands.isEmpty, let operand, operand.first != "[" { fail("'\(name)' needs the name of an experiment; usage: \(usage)", status: 2) }
        return arguments
    }

    /// The command as the user types it.
    var usage: String {
        let options = options.map { $0.isRequired ? $0.words : "[\($0.words)]" }
        return ([name] + [operand].compactMap { $0 } + options).joined(separator: " ")
    }

    // MARK: - What the commands do

    /// Returns the exit status. The stacks of the tour end here, so this is a function with a name.
    @MainActor
    private func run(_ arguments: Arguments) -> Int32 {
        switch action {
        case .list: Command.list()
        case .all: AllExperiments(isFast: arguments.isFast).run()
        case .article: Command.article(arguments)
        case .wrong: ArticleCommand(isFast: arguments.isFast).wrong()
        case .diff: Command.diff(arguments)
        case .draw: Command.draw(arguments)
        case .app: AppCommand(EventInput(file: arguments.options["--events"], builtIn: appRecording), isFast: arguments.isFast).run()
        case .explain: Command.explain(arguments)
        case .predict: Command.predict(arguments)
        case .compare: Comparison(of: arguments.experiment, isFast: arguments.isFast).run()
        case .trace: Command.trace(arguments)
        case .watch: Command.watch(arguments)
        case .tour: Command.tour()
        case .help: Command.help()
        case .experiment(let experiment): Command.run(experiment, arguments)
        }
    }

    @MainActor
    private static func diff(_ arguments: Arguments) -> Int32 {
        switch arguments.operands.count {
        case 0: return DiffCommand().showPairs()
        case 2: return DiffCommand().compare(arguments.operands)
        default: fail("'diff' compares two files, or none; usage: diff [FILE FILE]", status: 2)
        }
    }

    @MainActor
    private static func draw(_ arguments: Arguments) -> Int32 {
        let command = DrawCommand(), file = arguments.operands.dropFirst().first
        switch arguments.operand {
        case "": return command.list()
        case "all":
            guard let file else { fail("'draw all' needs a folder; usage: draw all DIR", status: 2) }
            return command.drawAll(into: file)
        default: return command.draw(arguments.operand, into: file)
        }
    }

    @MainActor
    private static func predict(_ arguments: Arguments) -> Int32 {
        var level = 1, seed = UInt64.random(in: 1...9999)
        if let words = arguments.options["--level"] {
            guard let number = Int(words), (1...3).contains(number) else { fail("'\(words)' is no level; levels are 1, 2 and 3", status: 2) }
            level = number
        }
        if let words = arguments.options["--seed"] {
            guard let number = UInt64(words) else { fail("'\(words)' is no seed; a seed is a number, for example: predict --seed 7", status: 2) }
            seed = number
        }
        return PredictCommand(level: level, seed: seed).run()
    }

    @MainActor
    private static func explain(_ arguments: Arguments) -> Int32 {
        let isAll = arguments.options["--all"] != nil, isJSON = arguments.options["--json"] != nil
        if isAll != arguments.operand.isEmpty || isAll && !isJSON { fail("'explain' needs a name, or --all --json for the cards of all names", status: 2) }
        let explain = Explain()
        if isAll { return explain.printRecords(of: explain.allNames, edition: EditionData()) }
        return isJSON ? explain.printRecords(of: [explain.plain(arguments.operand)]) : explain.run(arguments.operand)
    }

    @MainActor
    private static func article(_ arguments: Arguments) -> Int32 {
        let command = ArticleCommand(isFast: arguments.isFast)
        let forms = Form.allCases.filter { arguments.options["--\($0.rawValue)"] != nil }
        if forms.count > 1 { fail("choose one form: --as-written or --cured", status: 2) }
        switch arguments.operand {
        case "": return command.list()
        case "all": return command.all()
        default: return command.run(arguments.operand, forms.first, asRecord: arguments.options["--record"] != nil)
        }
    }

    @MainActor
    private static func run(_ experiment: any Experiment, _ arguments: Arguments) -> Int32 {
        var experiment = experiment
        if let file = arguments.options["--events"], let reader = experiment as? any ReadsEvents { experiment = reader.reading(file) }
        return ExperimentRun(experiment, isFast: arguments.isFast, asRecord: arguments.options["--record"] != nil).perform()
    }

    @MainActor
    private static func help() -> Int32 {
        let output = Output()
        output.line("usage: RunLoopLab NAME [--fast] [--record]")
        output.line("       RunLoopLab COMMAND")
        output.line("")
        output.line("NAME is one of the experiments below. --fast shortens its waits; --record prints tab-separated records.")
        output.line("--lang zh answers in Chinese where there is a translation; without it, LANG decides.")
        output.line("")
        let width = all.map(\.usage.count).max()! + 2
        for command in all { output.line("  \(padded(command.usage, to: width))\(command.summary)") }
        writeExperiments(to: output)
        output.flush()
        return 0
    }

    @MainActor
    private static func list() -> Int32 {
        let output = Output()
        output.line("Experiments. Run one with: swift run RunLoopLab NAME. For other commands: --help")
        writeExperiments(to: output)
        output.flush()
        return 0
    }

    private static func writeExperiments(to output: Output) {
        for group in Group.allCases {
            let experiments = Catalog.all.map(\.about).filter { $0.group == group }
            if experiments.isEmpty { continue }
            output.line("")
            output.line(group.rawValue)
            for about in experiments {
                let claims = about.claims.joined(separator: " "), time = padded(decimals(about.seconds, 1), to: -4)
                output.line("  \(padded(about.name, to: 22)) \(padded(claims, to: 14)) \(time) s  \(about.shows)")
            }
        }
    }

    @MainActor
    private static func watch(_ arguments: Arguments) -> Int32 {
        var seconds: Double?
        if let words = arguments.options["--seconds"] {
            seconds = Double(words)
            if !(seconds ?? -1 >= 0) { fail("'\(words)' is not a number of seconds; for example: watch --seconds 5", status: 2) }
        }
        if arguments.operand == "" { return WatchCommand.runDemo(seconds: seconds) }
        let experiment = arguments.experiment
        if seconds != nil { fail("'--seconds' works only without an experiment: '\(experiment.about.name)' ends by itself, or on Ctrl-C", status: 2) }
        return WatchCommand.run(experiment, isFast: arguments.isFast)
    }

    @MainActor
    private static func trace(_ arguments: Arguments) -> Int32 {
        let trace = TraceCommand(file: arguments.options["--out"])
        if arguments.operand == "tour" { return trace.runTour(tour) }
        return trace.run(experiment(named: arguments.operand, orElse: ["tour"]), isFast: arguments.isFast)
    }

    @MainActor
    private static func tour() -> Int32 {
        do {
            Tour(input: try StandardInput()).run()
            return 0
        } catch {
            fail("\(error.message); give the tour a pipe, a file or a terminal, or </dev/null for a tour without input",
                 status: 1)
        }
    }
}
