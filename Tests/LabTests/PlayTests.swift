import Foundation
import TestSupport
import XCTest
@testable import RunLoopLab

/// `RunLoopLab play`.
final class PlayTests: TestCaseBeside {
    private func play(_ program: String, _ options: String = "") throws -> (output: String, status: Int32) {
        let result = try lab("printf '%s\\n' '\(program.replacing("\n", with: "' '"))' | $LAB play \(options) --lang en 2>&1")
        return (result.output, result.status)
    }

    /// The examples of programs.md.
    private func examples() throws -> [(program: String, log: String)] {
        let page = try String(contentsOfFile: SourceTree.root + "Documentation/Reference/programs.md", encoding: .utf8)
        // \x60 is a back quote: a compiler of Swift 6.2 crashes at three of them in a regular expression.
        return page.matches(of: /\x60{3}program\n([^\x60]*)\x60{3}\n\n\x60{3}text\n([^\x60]*)\x60{3}/).map { (String($0.1), String($0.2)) }
    }

    func testTheModelSaysWhatEachExampleDoes() throws {
        let examples = try examples()
        XCTAssertEqual(examples.count, 21)
        for (number, example) in zip(1..., examples) {
            let alone = try lab("$LAB play \(number)"), both = try lab("$LAB play \(number) --simulated --model --lang en")
            XCTAssertEqual(alone.output + "\n", example.log)
            XCTAssertEqual(alone.status, 0)
            XCTAssert(both.output.hasSuffix("\nThe logs are the same."), both.output)
            XCTAssert(!both.output.contains("does not say"), both.output)
            XCTAssertEqual(both.status, 0)
        }
    }

    func testTheModelSaysWhatEachChapterDoes() throws {
        for chapter in try FileManager.default.contentsOfDirectory(atPath: SourceTree.root + "Documentation/Book") where chapter.first?.isNumber == true && !chapter.hasSuffix(".zh.md") {
            let path = "\(SourceTree.root)Documentation/Book/\(chapter)"
            let count = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count { $0 == "\u{60}\u{60}\u{60}program" }
            let all = try lab("for number in $(seq \(count)); do $LAB play '\(path)#'$number --simulated --model --lang en || exit; done")
            XCTAssertEqual(all.output.components(separatedBy: "The logs are the same.").count - 1, count, "\(chapter): \(all.output)")
            XCTAssertGreaterThanOrEqual(count, 3, chapter)
        }
        let first = "\(SourceTree.root)Documentation/Book/6-a-stall-that-is-missed.md", none = try lab("$LAB play '\(first)#9' --lang en 2>&1")
        XCTAssert(try lab("$LAB play '\(first)#1'").output.contains("monitor main is not waiting"))
        XCTAssert(none.status == 2 && none.output.contains("there is no program 9 in"), none.output)
    }

    /// A loop prints a message about such a run, which the model has not; so the logs of the model and of a loop cannot be compared here. The
    /// scenario `modes` compares both loops.
    func testInTheModelTheCommonModesAreNoModeToRun() throws {
        let result = try play("source S in common\nblock K in common\nsignal S\nstop in common\nrun common for 1s\nrun default once", "--model")
        XCTAssertEqual(result.output, "0.000 main run common: Finished\n0.000 main   K runs\n0.000 main   S performs\n0.000 main run default: TimedOut")
    }

    func testALineOfTheLoopCanBeBroken() throws {
        let broken = try lab("$LAB play 5 --broken 11 --lang en"), mended = try lab("$LAB play 2 --broken 11 --lang en")
        XCTAssertEqual(broken.status, 1)
        XCTAssert(broken.output.hasPrefix("Broken: CFRunLoopWakeUp sends no message"), broken.output)
        XCTAssert(broken.output.contains("\n- __CFSendTrivialMachMessage(rl->_wakeUpPort);\n+ (nothing)\n"), broken.output)
        let first = broken.output.split(separator: "\n").filter { $0.hasPrefix("  *") }
        XCTAssert(first.count == 1 && first[0].contains("S performs"), broken.output)
        XCTAssertEqual(mended.status, 0) // observers alone: nobody wakes anybody
        XCTAssert(mended.output.hasSuffix("\nWith this program nobody notices: both loops write the same log. Show it with: RunLoopLab play 5 --broken 11"), mended.output)
        let unnoticed = try lab("$LAB play 2 --broken 11 --lang zh").output, page = try String(contentsOfFile: SourceTree.root + "Edition/edition/pages/play.py", encoding: .utf8)
        XCTAssert(unnoticed.hasSuffix("\n这段程序看不出来：两边的记录一样。换成这个来看：RunLoopLab play 5 --broken 11"), unnoticed)
        for words in ["With this program nobody notices: both loops write the same log.", "这段程序看不出来：两边的记录一样。", "as it is", "原样", "broken", "改坏以后"] {
            XCTAssert(page.contains("\"\(words)\""), "the page says it otherwise: \(words)")
        }
        let chinese = try lab("$LAB play 5 --broken 11 --lang zh"), none = try lab("$LAB play 5 --broken 99 --lang en 2>&1"), real = try lab("$LAB play 5 --broken 3 --real --lang en 2>&1")
        XCTAssert(chinese.output.hasPrefix("改坏：CFRunLoopWakeUp"), chinese.output)
        XCTAssert(none.status == 2 && none.output.contains("there is no break '99'") && none.output.contains("\n  18  "), none.output)
        XCTAssert(real.status == 2 && real.output.contains("leave out --real"), real.output)
    }

    /// Each break changes the log of the program that its row names, and a loop without a break has the same log as the library.
    func testEachBreakIsSeenInItsProgram() throws {
        let script = SourceTree.root + "Scripts/broken-loop", list = try lab("\(script) --list")
        let rows = list.output.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        XCTAssertGreaterThanOrEqual(rows.count, 18)
        let table = try String(contentsOfFile: SourceTree.root + "Facts/breaks.tsv", encoding: .utf8).split(separator: "\n").dropFirst()
        XCTAssertEqual(rows.count, table.count)
        for (row, line) in zip(rows, table) {
            let program = line.split(separator: "\t", omittingEmptySubsequences: false).last!
            let parts = program.hasPrefix("book ") ? program.dropFirst(5).split(separator: "#") : []
            let chapter = try parts.isEmpty ? String(program) : lab("ls \(SourceTree.root)Documentation/Book/\(parts[0])-*[!h].md").output + "#" + (parts.count > 1 ? parts[1] : "1")
            let result = try lab("$LAB play '\(chapter)' --broken \(row[0]) --lang en")
            XCTAssert(result.status == 1 && result.output.contains("\n  * "), "break \(row[0]), \(program): \(result.output)")
        }
        let healthy = try lab("printf 'timer T every 1s in default\\nrun default for 2s\\n' | \(script) 0")
        XCTAssertEqual(healthy.output, "1.000 main   T fires\n2.000 main   T fires\n2.000 main run default: TimedOut")
    }

    /// The table says where each break is; if the line has changed, nothing is built from it.
    func testABreakThatNoLongerFitsIsRefused() throws {
        let change = "s/retVal == 0/retVal == 0 \\&\\& true/", again = "s/^.*rlm->_portSet;$/&\\n    } while (retVal == 0);/"
        for (expression, count) in [(change, "0"), (again, "2")] {
            let result = try lab("""
                folder=$(mktemp -d); cd '\(SourceTree.root)'; mkdir -p $folder/Sources
                cp -R --parents Facts Sources/CRunLoop Programs/CRunLoopPrograms Programs/CRunLoopModel $folder
                sed -i '\(expression)' $folder/Sources/CRunLoop/CFRunLoop.c
                cd $folder; PYTHONPATH=Facts PYTHONDONTWRITEBYTECODE=1 python3 -m facts.breaks copies 2>&1; echo "status $?"; ls copies 2>&1; rm -r $folder
                """)
            XCTAssert(result.output.contains("break 1 (A run makes one pass and returns.) no longer fits") && result.output.contains("\(count) times:\n} while (retVal == 0);"), result.output)
            XCTAssert(result.output.contains("\nstatus 1") && result.output.contains("No such file"), result.output)
        }
    }

    func testOnLinuxAndOnFoundationALogIsTheSame() throws {
        for program in ["source S in default\nat 0.2s: signal S and wake\nrun default for 2s until a source",
                        "thread B:\n    port P in default\n    run default\nat 0.1s: send P\nat 0.4s: stop B",
                        "timer T every 0.2s in default\nwhen T fires 2:\n    queue F\nwhen F runs: stop\nrun default"] {
            var result = try play(program, "--simulated --real --on-foundation --model")
            for _ in 1...4 where result.status != 0 { result = try play(program, "--simulated --real --on-foundation --model") } // a busy machine is late
            XCTAssert(result.output.hasSuffix("\nThe logs are the same."), result.output)
            XCTAssertEqual(result.status, 0)
        }
    }

    /// All at once, because they take ten seconds and sleep. Only the simulated kernel has a fault to order (20), or a place before a step (21).
    func testOnLinuxEachExampleHasItsLog() throws {
        let examples = try examples()
        var missing = (1...examples.count).filter { !("\n" + examples[$0 - 1].program).contains(#/\n(fault|before) /#) }, output = ""
        XCTAssertEqual(missing.count, 19)
        for _ in 1...3 where !missing.isEmpty { // a busy machine is late
            let numbers = missing.map(String.init).joined(separator: " ")
            output = try lab("""
                folder=$(mktemp -d)
                for number in \(numbers); do $LAB play $number --simulated --real --lang en >$folder/$number 2>&1 & done
                wait
                for number in \(numbers); do echo "Example $number"; cat $folder/$number; done
                rm -r $folder
                """).output
            let parts = output.components(separatedBy: "Example ").dropFirst()
            XCTAssertEqual(parts.count, missing.count)
            missing = zip(missing, parts).filter { !$1.contains("\nThe logs are the same.") }.map(\.0)
        }
        XCTAssertEqual(missing, [], output)
    }

    func testTheFirstLineThatDiffersIsMarked() throws {
        let result = try play("fault spurious\nobserver O of AfterWaiting in default\ntimer T at 0.1s in default\nrun default for 0.3s", "--simulated --real")
        XCTAssertEqual(result.status, 1)
        let lines = result.output.split(separator: "\n")
        XCTAssert(lines[0].contains("on the simulated kernel") && lines[0].contains("on Linux"), result.output)
        let first = lines.filter { $0.hasPrefix("  *") }
        XCTAssert(first.count == 1 && first[0].contains("O AfterWaiting"), result.output)
        XCTAssertEqual(lines.last, "The logs differ: * is the first line that does, · are the others.")
    }

    func testAProgramWhoseThreadsWaitForever() throws {
        let program = "thread B:\n    source S in default\n    run default\nrun default for 0.1s"
        let alone = try play(program), both = try play(program, "--simulated --model --real")
        XCTAssertEqual(alone.status, 1)
        XCTAssert(alone.output.contains("B waits for"), alone.output)
        XCTAssertEqual(both.status, 0)
        XCTAssert(both.output.contains("(threads wait forever)"), both.output)
    }

    func testTheModelStopsWhereEitherOfTwoThingsMayComeFirst() throws {
        let result = try play("port P in default\nport Q in default\nsay \"before\"\nsend P\nsend Q\nrun default for 1s", "--simulated --model")
        XCTAssert(result.output.contains("-:5: from here on, the model does not say what happens: two things are ready at once"), result.output)
        XCTAssertEqual(result.status, 0) // as far as the model goes
    }

    func testAnInterruptThatWouldComeAfterTheWaitDoesNotComeInTheModelEither() throws {
        let program = "source S in default\nfault interrupt 2s\nrun default for 1s\nfault interrupt 0.2s\nrun default for 1s\nwhen interrupted: signal S and wake main"
        let result = try play(program, "--simulated --model")
        XCTAssertEqual(result.status, 0, result.output)
        XCTAssert(result.output.contains("1.200 main   S performs") && result.output.contains("The logs are the same."), result.output)
    }

    func testOnlyTheSimulatedKernelHasPlacesBeforeAStep() throws {
        let program = "source S in default\nbefore step 7 of pass 1 signals S and wakes\nrun default until a source"
        XCTAssertEqual(try play(program).output, "0.000 main   S performs\n0.000 main run default: HandledSource")
        let refused = try play(program, "--simulated --real")
        XCTAssertEqual(refused.output, "-:2:1: only the simulated kernel can stop a loop before a step or a wait; leave out --real")
        XCTAssertEqual(refused.status, 2)
    }

    func testACaseIsPlayedByItsName() throws {
        let result = try lab("$LAB play L2_observers_alone_do_not_keep_it_running --lang en"), broken = try lab("$LAB play L7_stop_ends_the_innermost_run --broken 10 --lang en")
        XCTAssertEqual(result.output, "0.000 main run A: Finished")
        XCTAssert(broken.status == 1 && broken.output.contains("\n  * "), broken.output)
        XCTAssertEqual(try lab("$LAB play L2_no_such_case --lang en 2>&1").status, 2)
    }

    func testAMistakeHasItsPlace() throws {
        XCTAssertEqual(try play("run default\nsignal X").output, "-:2:8: expected a source from a line above, found \"X\"")
        XCTAssertEqual(try play("run default\nsignal X").status, 2)
        XCTAssertEqual(try lab("printf 'run default\\r\\nsignal X' | $LAB play --lang zh 2>&1").output, "-:2:8: 应为：上面某一行里的 source；实际：\"X\"")
        XCTAssertEqual(try lab("$LAB play /nowhere").status, 2)
        let directory = try lab("$LAB play / --lang en 2>&1")
        XCTAssert(directory.status == 2 && directory.output.contains("cannot read /: "), directory.output)
        let unknown = try lab("$LAB play 99 --lang en 2>&1")
        XCTAssert(unknown.status == 2 && unknown.output.contains("there is no example 99"), unknown.output)
    }

    func testAProgramWithoutAnEndShowsTheBeginningOfItsLog() throws {
        let program = "timer T every 1s in default\nrun default"
        let alone = try play(program), model = try play(program, "--model"), both = try play(program, "--simulated --model")
        XCTAssert(alone.output.hasPrefix("1.000 main   T fires\n2.000 main   T fires\n"))
        XCTAssert(alone.output.contains("\n99999.000 main   T fires\n100000.000 main   T fires\nRunLoopLab: the log is cut off after 100000 lines"))
        XCTAssertEqual(alone.status, 1)
        XCTAssert(model.output.hasPrefix("1.000 main   T fires\n2.000 main   T fires\n"))
        XCTAssert(model.output.contains("the program has no end, or a very long log"))
        XCTAssertLessThan(model.output.count(where: \.isNewline), 200_000)
        XCTAssert(both.status == 1 && both.output.contains("the log is cut off"), both.output)
    }

    func testAProgramThatNestsWithoutAnEndEndsWithWords() throws {
        let result = try play("block K in default\nwhen K runs: block K in default and run default for 1s\nrun default for 5s")
        XCTAssertEqual(result.status, 1)
        XCTAssert(result.output.contains("runs and callbacks nest too deeply"), result.output)
    }

    func testASeedDecidesWhoIsFirst() throws {
        let program = (1...4).map { "thread T\($0):\n    say \"here\"" }.joined(separator: "\n")
        let orders = try Set((1...20).map { try play(program, "--seed \($0)").output })
        XCTAssertGreaterThan(orders.count, 1)
        XCTAssertEqual(try play(program, "--seed 7").output, try play(program, "--seed 7").output)
    }

    /// The edition makes a program of a printed loop that somebody pastes (diagnosis.js), in the reader's names, and says first what is wrong with the loop.
    func testAPrintedLoopIsDiagnosedAndPlays() throws {
        struct Read: Decodable { var said: [String], program: String?, line: Int? }
        let script = """
            import json, shutil, subprocess, sys
            from facts import ROOT, frames
            if not shutil.which("node"):
                print("null")
                sys.exit()
            script = '''
            const fs = require("fs"), vm = require("vm"), [root, activities, texts] = JSON.parse(fs.readFileSync(0, "utf8"));
            globalThis.edition = { search: { entry: () => null }, data: { frames: { activities, plays: true }, text: new Proxy({}, { get: (_, key) => `${key} {item} {mode} {modes} {seconds}` }) } };
            for (const name of ["paste", "print", "diagnosis"]) vm.runInThisContext(fs.readFileSync(`${root}/Edition/edition/static/${name}.js`, "utf8"));
            console.log(JSON.stringify(texts.map(text => {
                const { found, isWhole } = edition.paste.parsed(text), made = edition.paste.diagnosis.program(found);
                return { said: edition.paste.diagnosis.sentences(found, isWhole).map(html => html.replace(/<[^>]+>/g, "").replaceAll("undefined", "").trim()), program: made?.text, line: made?.line };
            })));'''
            done = subprocess.run(["node", "-e", script], input=json.dumps([str(ROOT), frames.data("en")["activities"], sys.argv[1:]]), capture_output=True, text=True)
            print(done.stdout or done.stderr)
            """
        let away = """
            <CFRunLoop 0x1>{wakeup port = 0x1903, stopped = false, ignoreWakeUps = false,
            current mode = UITrackingRunLoopMode,
            common modes = <CFBasicHash 0x2>{type = mutable set, count = 2, entries =>
            \t0 : <CFString 0x3>{contents = "UITrackingRunLoopMode"}
            \t2 : <CFString 0x4>{contents = "kCFRunLoopDefaultMode"}
            },
            common mode items = (null),
            modes = <CFBasicHash 0x5>{type = mutable set, count = 2, entries =>
            \t0 : <CFRunLoopMode 0x6>{name = UITrackingRunLoopMode, port set = 0x1, timer port = 0x2,
            \tsources0 = <CFBasicHash 0x7>{type = mutable set, count = 1, entries =>
            \t0 : <CFRunLoopSource 0x8>{signalled = Yes, valid = Yes, order = 0, context = <CFRunLoopSource context>{version = 0, callout = pour (0x1)}}
            },
            \tsources1 = (null),
            \tobservers = (null),
            \ttimers = <CFArray 0x9>{type = mutable-small, count = 1, values = (
            \t0 : <CFRunLoopTimer 0xa>{valid = Yes, firing = No, interval = 2, tolerance = 0, next fire date = 7 (-4.25 @ 9), callout = boil (0x2)}
            )},
            },
            \t2 : <CFRunLoopMode 0xb>{name = kCFRunLoopDefaultMode, port set = 0x1, timer port = 0x2,
            \tsources0 = (null),
            \tsources1 = (null),
            \tobservers = (null),
            \ttimers = <CFArray 0xc>{type = mutable-small, count = 2, values = (
            \t0 : <CFRunLoopTimer 0xd>{valid = Yes, firing = No, interval = 0.5, tolerance = 0, next fire date = 8 (0.25 @ 9), callout = (NSTimer) [Kettle whistle] (0x3)}
            \t1 : <CFRunLoopTimer 0xe>{valid = No, firing = No, interval = 1, tolerance = 0, next fire date = 8 (0.25 @ 9), callout = rust (0x4)}
            )},
            },
            }
            }
            """
        let pastes = ["print-addresses", "print-bare", "print-cut", "print-empty", "print-ours"].map { "Edition/edition/pastes/\($0).txt" }
        let texts = try [away] + pastes.map { try XCTUnwrap(SourceFile.read($0)).text }
        let printed = try runPython(["-c", script] + texts).output
        guard let read = try JSONDecoder().decode([Read]?.self, from: Data(printed.utf8)) else { throw XCTSkip("node is not installed; on Debian and Ubuntu: apt install nodejs") }
        XCTAssertEqual(read[0].said, [
            "diagnosis.overdue boil UITrackingRunLoopMode UITrackingRunLoopMode 4.3", "diagnosis.timerAway [Kettle whistle] UITrackingRunLoopMode kCFRunLoopDefaultMode 0.3",
            "diagnosis.ignored rust UITrackingRunLoopMode kCFRunLoopDefaultMode 0.3", "diagnosis.asleep pour UITrackingRunLoopMode UITrackingRunLoopMode NaN",
        ])
        XCTAssertEqual(read.dropFirst().map { $0.said.map { String($0.prefix { $0 != " " }) } }, [
            ["diagnosis.timerAway", "diagnosis.signalled"], ["diagnosis.nothing"], ["diagnosis.cut"], ["diagnosis.idle"], ["diagnosis.idle"],
        ])
        XCTAssertEqual(read.map { $0.program != nil }, [true, true, true, false, false, true])
        for program in read.compactMap(\.program) {
            let played = try play(program)
            XCTAssertEqual(played.status, 0, "\(program)\n\(played.output)")
        }
        let log = try play(XCTUnwrap(read[0].program)).output.split(separator: "\n").map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") }
        XCTAssertEqual(read[0].line, 1)
        XCTAssertEqual(Array(log.filter { !$0.hasPrefix("boil") }.prefix(3)), ["pour performs", "run UITrackingRunLoopMode: TimedOut", "Kettle.whistle fires"])
    }
}
