// Lesson.swift: a small random program, and what the model says that it does.

import CRunLoopModel
import Glibc

/// A program to predict. The model of Tests/Oracle/Conformance knows what it does: the model, Apple's loop and this one agree on thousands of such
/// programs.
struct Lesson {
    /// The program as text, in the language of Documentation/Reference/programs.md.
    let program: [String]
    /// What it logs, in order.
    let log: [Line]

    /// A line of the log.
    struct Line: Equatable {
        var text: String
        /// How many callbacks it was logged inside of.
        var depth: Int
        /// Whether it is something that the loop does: an activity, a callback, a result. The others repeat the program's actions.
        var isEvent: Bool
    }

    init(seed: UInt64, level: Int) {
        var text: UnsafeMutablePointer<CChar>?
        let log = lessonMake(seed, Int32(level), &text)!
        defer {
            free(log)
            free(text)
        }
        program = String(cString: text!).split(separator: "\n").map(String.init)
        self.log = String(cString: log).split(separator: "\n").dropLast().map { (line: Substring) -> Line in
            let text = String(line.drop { $0 == " " })
            let words = text.split(separator: " ")
            let isEvent = words[0] == "~" || text.contains(": ") || (words.count == 2 && ["performs", "fires", "runs"].contains(words[1]))
            return Line(text: text, depth: (line.count - text.count) / 2, isEvent: isEvent)
        }
    }

    /// The step that an event belongs to, as a hint.
    static func hint(for event: String) -> Text {
        switch event {
        case _ where event.hasSuffix("Entry"): Text("step 1", "步骤 1")
        case _ where event.hasSuffix("BeforeTimers"): Text("step 2", "步骤 2")
        case _ where event.hasSuffix("BeforeSources"): Text("step 3", "步骤 3")
        case _ where event.hasSuffix("BeforeWaiting"): Text("step 6", "步骤 6")
        case _ where event.hasSuffix("AfterWaiting"): Text("step 8", "步骤 8")
        case _ where event.hasSuffix("Exit"): Text("step 10", "步骤 10")
        case _ where event.hasPrefix("s"): Text("step 4", "步骤 4")
        case _ where event.hasPrefix("t"): Text("step 9.1", "步骤 9.1")
        case _ where event.hasPrefix("p"): Text("step 9.3", "步骤 9.3")
        case _ where event.contains(": "): Text("the end of the run", "运行结束")
        default: Text("blocks are performed in steps 3 and 9, and after a Source0 in step 4", "block 在步骤 3 和 9 执行，处理过 Source0 后也在步骤 4 执行")
        }
    }
}
