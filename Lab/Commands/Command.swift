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
    let summary: Text
    let action: Action

    /// What a command does.
    enum Action: Sendable {
        case list, all, article, draw, explain, play, trace, record, tour, help
        case experiment(any Program)
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
        var experiment: any Program { Command.experiment(named: operand) }
    }

    /// All commands. The name of an experiment is a command, too.
    static let all = [
        Command(name: "list", options: [Option(name: "--json")],
                summary: Text("list the experiments; the default command. --json: the articles, their programs and the experiments, for programs",
                              "列出所有实验；不写命令时就是它。--json：文章、文章里的程序和实验，供程序读取"), action: .list),
        Command(name: "all", options: [fast],
                summary: Text("run all experiments, one after the other, and check what they claim", "依次运行所有实验，检查各自的论断"), action: .all),
        Command(name: "article", operand: "[ID]", options: forms + [brief, fast, record],
                summary: Text("list what the articles show, run an item (article 0.15), or run all of them (article all)", "列出文章里的内容，运行其中一项（article 0.15），或全部运行（article all）"), action: .article),
        Command(name: "draw", operand: "[FIGURE] [FILE]",
                summary: Text("list the figures, draw one as SVG (draw G4 FILE), or all of them (draw all DIR)",
                              "列出图，把其中一幅画成 SVG（draw G4 FILE），或全部画出（draw all DIR）"), action: .draw),
        Command(name: "explain", operand: phrase,
                summary: Text("say what a name, a call, a word or a question of the articles is about: here, in the original, in tests and in programs that you can run; or read a stack or a printed loop. PHRASE may be - for standard input",
                              "解释文章里或代码里的名字、调用、术语或问题：在这里、在原版、在测试和可以运行的程序里各是什么；也读调用栈和打印出来的 RunLoop。PHRASE 为 - 时读标准输入"),
                action: .explain),
        Command(name: "play", operand: "[FILE]",
                options: PlayCommand.Loop.allCases.map { Option(name: $0.option) } + [Option(name: "--broken", value: "N"), Option(name: "--seed", value: "N"), Option(name: "--kernel")],
                summary: Text("perform a program of the small language (Documentation/Reference/programs.md) on the simulated kernel or elsewhere; with two of these, side by side. --broken N: beside the loop with one line broken (--broken 0 lists them). FILE may be the number of an example, a chapter of the book, or - for standard input",
                              "执行小语言写的程序（Documentation/Reference/programs.zh.md），在模拟内核上或别处；写两个以上就并排显示。--broken N：与改坏一行的 RunLoop 并排（--broken 0 列出全部）。FILE 可以是例子的编号、书的一章，- 是标准输入"), action: .play),
        Command(name: "trace", operand: "NAME", options: [Option(name: "--out", value: "FILE", isRequired: true), forms[1], fast],
                summary: Text("run an experiment, an item of the articles (trace 0.15) or the tour, and write all that its loops do to a text file",
                              "运行一个实验、文章的一项（trace 0.15）或导览，把 RunLoop 做的一切写进文本文件"), action: .trace),
        Command(name: "record", operand: "NAME",
                summary: Text("for contributors: keep the transcript of an experiment, and write what is derived from it", "供贡献者用：保存实验的记录，并写出由它得来的内容"), action: .record),
        Command(name: "tour", summary: Text("show one run of the main loop, step by step, with standard input as its source", "一步一步显示主线程 RunLoop 的一次运行，以标准输入作为 Source"), action: .tour),
        Command(name: "help", summary: Text("show this help; also --help, alone or after a command", "显示帮助；也可以单独写 --help，或写在命令后面"), action: .help),
    ]
    /// An operand that may have spaces, and may begin with a dash: a pasted method.
    private static let phrase = "PHRASE"
    static let fast = Option(name: "--fast")
    private static let forms = Form.allCases.map { Option(name: "--\($0.rawValue)") }
    private static let brief = Option(name: "--brief"), record = Option(name: "--record")
    private static let helpWords: Set = ["help", "--help", "-h"]

    // MARK: - The command line

    /// Carries out a command line and returns the exit status. Misuse ends the program with one line.
    @MainActor
    static func perform(_ words: [String]) -> Int32 {
        let words = chooseLanguage(words)
        guard let name = words.first else { return list() }
        if helpWords.contains(name) || words.dropFirst().contains(where: helpWords.contains) { return help() }
        let isItem = Articles.item(name) != nil // 0.15 alone is article 0.15
        let command = named(isItem ? "article" : name)
        return command.run(command.arguments(from: isItem ? words[...] : words.dropFirst()))
    }

    /// Every command takes `--lang`.
    private static func chooseLanguage(_ words: [String]) -> [String] {
        guard let place = words.firstIndex(of: "--lang") else { return words }
        let languages = Language.allCases.map(\.rawValue)
        guard place + 1 < words.count, let language = Language(rawValue: words[place + 1]) else {
            fail(Text("after --lang comes a language: \(languages.joined(separator: " or "))", "--lang 后面要写语言：\(languages.joined(separator: " 或 "))"), status: 2)
        }
        Language.current = language
        return Array(words[..<place] + words[(place + 2)...])
    }

    /// An unknown name ends the program with the nearest known name.
    private static func named(_ name: String) -> Command {
        if let command = all.first(where: { $0.name == name }) { return command }
        if let experiment = Catalog.experiment(named: name) { return command(for: experiment) }
        if let option = (all.flatMap(\.options) + [record]).first(where: { $0.name == name }) {
            fail(Text("options come after the name: RunLoopLab NAME \(option.words)", "选项写在名字后面：RunLoopLab NAME \(option.words)"), status: 2)
        }
        if name.hasPrefix("-") { refuse(Text("option", "选项"), name, among: ["--help"]) }
        refuse(Text("command or experiment", "命令或实验"), name, among: all.map(\.name) + Catalog.experiments.map(\.about.name))
    }

    /// Ends the program, because there is nothing with that name, and says which name is the nearest and where all of them are listed.
    static func refuse(_ kind: Text, _ name: String, among known: [String],
                       _ list: Text = Text("--help lists all of them", "--help 会全部列出")) -> Never {
        let near = nearest(to: name, among: known)
        fail(Text("there is no \(kind.english) '\(name)'; did you mean '\(near)'? \(list.english)", "没有\(kind.chinese)“\(name)”；是不是“\(near)”？\(list.chinese)"), status: 2)
    }

    private static func command(for experiment: any Program) -> Command {
        Command(name: experiment.about.name, options: [fast, record], summary: experiment.about.title, action: .experiment(experiment))
    }

    private static func experiment(named name: String, orElse others: [String] = []) -> any Program {
        if let experiment = Catalog.experiment(named: name) { return experiment }
        refuse(Text("experiment", "实验"), name, among: Catalog.experiments.map(\.about.name) + others)
    }

    private func arguments(from words: ArraySlice<String>) -> Arguments {
        var arguments = Arguments(), words = words
        if operand == Self.phrase, !words.isEmpty { return Arguments(operands: [words.joined(separator: " ")]) }
        if operand == Self.phrase, Explain.hasInput { return Arguments(operands: ["-"]) }
        let most = operand?.split(separator: " ").count ?? 0
        while let word = words.popFirst() {
            if let option = options.first(where: { $0.name == word }) {
                if option.value != nil && words.isEmpty { fail(Text("'\(word)' needs a value; usage: \(usage)", "“\(word)”后面要写一个值；用法：\(usage)"), status: 2) }
                arguments.options[word] = option.value == nil ? "" : words.removeFirst()
            } else if word.hasPrefix("-"), word != "-" {
                let known = nearest(to: word, among: options.map(\.name) + ["--help"])
                fail(Text("'\(name)' has no option '\(word)'; did you mean '\(known)'?", "“\(name)”没有选项“\(word)”；是不是“\(known)”？"), status: 2)
            } else if arguments.operands.count == most {
                fail(Text("'\(name)' does not take the argument '\(word)'; usage: \(usage)", "“\(name)”后面不能写“\(word)”；用法：\(usage)"), status: 2)
            } else {
                arguments.operands.append(word)
            }
        }
        if arguments.operands.isEmpty, let operand, operand.first != "[" {
            fail(operand == Self.phrase ? Text("'\(name)' needs a name, a word or a question, or a stack on standard input; usage: \(usage)",
                                               "“\(name)”后面要写名字、词或问题，或者从标准输入给它一个调用栈；用法：\(usage)")
                : Text("'\(name)' needs the name of an experiment; usage: \(usage)", "“\(name)”后面要写实验的名字；用法：\(usage)"), status: 2)
        }
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
        case .list: arguments.options["--json"] == nil ? Command.list() : EditionData().print()
        case .all: Command.runExperiments(isFast: arguments.isFast)
        case .article: Command.article(arguments)
        case .draw: Command.draw(arguments)
        case .explain: Explain().run(arguments.operand)
        case .play: Command.play(arguments)
        case .trace: Command.trace(arguments)
        case .record: RecordCommand(experiment: arguments.experiment).run()
        case .tour: Command.tour()
        case .help: Command.help()
        case .experiment(let experiment): ProgramRun(experiment, isFast: arguments.isFast, asRecord: arguments.options["--record"] != nil).perform()
        }
    }

    @MainActor
    private static func draw(_ arguments: Arguments) -> Int32 {
        let command = DrawCommand(), file = arguments.operands.dropFirst().first
        switch arguments.operand {
        case "": return command.list()
        case "all":
            guard let file else { fail(Text("'draw all' needs a folder; usage: draw all DIR", "draw all 后面要写一个目录；用法：draw all DIR"), status: 2) }
            return command.drawAll(into: file)
        default: return command.draw(arguments.operand, into: file)
        }
    }

    /// The number after `--seed`; nil if there is none.
    private static func seed(_ arguments: Arguments) -> UInt64? {
        guard let words = arguments.options["--seed"] else { return nil }
        if let number = UInt64(words) { return number }
        fail(Text("'\(words)' is no seed; a seed is a number, for example: --seed 7", "“\(words)”不能作种子；种子是一个数，例如：--seed 7"), status: 2)
    }

    @MainActor
    private static func play(_ arguments: Arguments) -> Int32 {
        let loops = PlayCommand.Loop.allCases.filter { arguments.options[$0.option] != nil }
        let command = PlayCommand(arguments.operand, seed: seed(arguments) ?? 0, withKernel: arguments.options["--kernel"] != nil)
        guard let number = arguments.options["--broken"] else { return command.run(on: loops.isEmpty ? [.simulated] : loops) }
        if let loop = loops.first(where: { $0 != .simulated }) {
            fail(Text("--broken is for the simulated kernel; leave out \(loop.option)", "--broken 只用于模拟内核；请去掉 \(loop.option)"), status: 2)
        }
        return command.run(broken: number)
    }

    @MainActor
    private static func article(_ arguments: Arguments) -> Int32 {
        let command = ArticleCommand(isFast: arguments.isFast)
        let forms = Form.allCases.filter { arguments.options["--\($0.rawValue)"] != nil }
        if forms.count > 1 { fail(Text("choose one form: --as-written or --cured", "请选择一种形式：--as-written 或 --cured"), status: 2) }
        switch arguments.operand {
        case "": return command.list()
        case "all": return command.all()
        default: return command.run(arguments.operand, forms.first, arguments.options["--brief"] == nil ? .whole : .brief, asRecord: arguments.options["--record"] != nil)
        }
    }

    @MainActor
    private static func help() -> Int32 {
        let output = Output()
        output.line(Text("usage: RunLoopLab NAME [--fast] [--record]", "用法：RunLoopLab NAME [--fast] [--record]").description)
        output.line(Text("       RunLoopLab COMMAND", "      RunLoopLab COMMAND").description)
        output.line("")
        output.line(Text("NAME is one of the experiments below, or an item of the articles (0.15).", "NAME 是下面的某个实验，或者文章里的一项（0.15）。").description)
        output.line(Text("--fast shortens its waits; --record prints records with tabs.", "--fast 缩短等待时间；--record 打印用制表符分隔的记录。").description)
        output.line(Text("--brief leaves out what the article says and what to notice.", "--brief 省略“文章说”和“值得注意”。").description)
        output.line(Text("--lang zh answers in Chinese, --lang en in English; without it, LC_ALL, LC_MESSAGES or LANG decides.",
                         "--lang zh 用中文回答，--lang en 用英文；不写时由 LC_ALL、LC_MESSAGES 或 LANG 决定。").description)
        output.line("")
        for command in all {
            output.line("  \(command.usage)")
            for line in wrapped(command.summary.description, to: 90) { output.line("        " + line) }
        }
        writeExperiments(to: output)
        output.flush()
        return 0
    }

    private static func runExperiments(isFast: Bool) -> Int32 {
        let experiments = Catalog.experiments, time = Int((experiments.map(\.about.seconds).reduce(0, +) * (isFast ? 0.4 : 1)).rounded(.up))
        let all = AllPrograms(isFast: isFast)
        all.run(experiments, title: Text("\(count(experiments.count, "experiment")), about \(time) s", "\(experiments.count) 个实验，大约 \(time) 秒").description)
        return all.conclude()
    }

    @MainActor
    private static func list() -> Int32 {
        let output = Output()
        output.line(Text("Experiments: swift run RunLoopLab NAME. The articles' programs: article. Other commands: --help",
                         "实验：swift run RunLoopLab NAME。文章的程序：article。其他命令：--help").description)
        writeExperiments(to: output)
        output.flush()
        return 0
    }

    private static func writeExperiments(to output: Output) {
        for group in Group.allCases {
            let experiments = Catalog.experiments.map(\.about).filter { $0.group == group }
            if experiments.isEmpty { continue }
            output.line("")
            output.line(group.title.description)
            for about in experiments {
                let claims = about.claims.joined(separator: " "), time = padded(decimals(about.seconds, 1), to: -4)
                let first = "  \(padded(about.name, to: 22)) \(padded(claims, to: 14)) \(time) \(Text.seconds)  "
                hanging(first, about.title.description).forEach(output.line)
            }
        }
    }

    @MainActor
    private static func trace(_ arguments: Arguments) -> Int32 {
        let trace = TraceCommand(file: arguments.options["--out"])
        if arguments.operand == "tour" { return trace.runTour(tour) }
        let item = Articles.item(arguments.operand), form: Form = arguments.options["--cured"] == nil ? .asWritten : .cured
        guard let program = item == nil ? experiment(named: arguments.operand, orElse: ["tour"]) : item?.program else {
            let id = arguments.operand
            fail(Text("\(id) has no program that could be traced: see article \(id)", "\(id) 没有可以跟踪的程序：见 article \(id)"), status: 2)
        }
        if !program.about.forms.contains(form) { fail(Text("\(program.about.name) is no pair: it has no form cured", "\(program.about.name) 不成对，没有 cured 这种形式"), status: 2) }
        return trace.run(program, form, isFast: arguments.isFast)
    }

    @MainActor
    private static func tour() -> Int32 {
        Tour(input: StandardInput()).run()
        return 0
    }
}
