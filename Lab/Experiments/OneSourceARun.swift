// one-source-a-run: run(mode:before:) returns after it has handled one source; after a timer it goes on.

import SwiftRunLoop

struct OneSourceARun: Program {
    let about = About(
        name: "one-source-a-run", claims: ["L6"], group: .leaving,
        title: Text("run(mode:before:) ends after one input source, a stop, or at its date; not after a timer",
                    "run(mode:before:) 处理完一个 Source、被停止或到了时间就返回；Timer 触发不会让它返回"),
        setting: Text("""
            A thread runs its loop four times with run(mode:before:), while a repeating timer ticks. The first run \
            gets a message through a port, the second gets a performed call, the third is stopped, and the fourth ends \
            at its date. Another thread signals two sources and runs its loop twice.
            """, """
            一个线程用 run(mode:before:) 让 RunLoop 运行四次，其间有一个重复的 Timer。第一次通过端口收到一\
            条消息，第二次收到一个 perform 调用，第三次被停止，第四次到时间结束。另一个线程把两个 Source 标\
            记为待处理，让 RunLoop 运行两次。
            """),
        notice: Text("""
            Every run goes on after a tick. A message and a performed call are sources, and end the run.
            """, """
            Timer 触发之后，每次运行都会继续。消息和 perform 调用都是 Source，会让运行结束。
            """),
        seconds: 0.8
    )

    func run() {
        lab.onThread("loop") {
            let loop = RunLoop.current, thread = Thread.current, port = MessagePort(), delegate = Delegate()
            port.setDelegate(delegate)
            loop.add(port, forMode: .default)
            let ends = ["message", "perform", "stop", "nothing"]
            for end in ends {
                lab.note("run, to be ended by \(end)")
                nonisolated(unsafe) var ticks = 0
                let timer = Timer(timeInterval: lab.wait(0.02), repeats: true) { _ in
                    ticks += 1
                    if ticks > 2 { return }
                    lab.callout(.timer, "tick")
                    if ticks < 2 { return }
                    switch end {
                    case "message": _ = port.send(before: .distantFuture, components: nil, from: nil, reserved: 0)
                    case "perform": try? Thread.perform(on: thread, waitUntilDone: false) { lab.callout(.source0, "performed") }
                    case "stop": RunLoop.current.stop()
                    default: break
                    }
                }
                loop.add(timer, forMode: .default)
                let limit = Date(timeIntervalSinceNow: end == "nothing" ? lab.wait(0.5) : 60)
                loop.run(mode: .default, before: limit)
                timer.invalidate()
                lab.note("the run has ended", Date() >= limit ? "at its date" : "before its date")
            }
        }

        lab.onThread("two sources") {
            for _ in 1...2 {
                let source = RunLoop.Source { lab.callout(.source0, "source") }
                RunLoop.current.add(source, forMode: .default)
                source.signal()
            }
            for _ in 1...2 {
                RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 60))
                lab.note("a run has ended")
            }
        }
    }

    func judge() {
        lab.expect(Text("of two signalled sources, a run serves one", "两个 Source 都标记了，一次运行只处理一个"), order: ["source", "a run has ended", "source", "a run has ended"])
        lab.expect(Text("ticks do not end a run; a message, a performed call, a stop and the date do",
                        "Timer 触发不结束运行；消息、perform 调用、停止和到时间会"), order: [
            "run, to be ended by message", "tick", "tick", "message", "the run has ended",
            "run, to be ended by perform", "tick", "tick", "performed", "the run has ended",
            "run, to be ended by stop", "tick", "tick", "the run has ended",
            "run, to be ended by nothing", "tick", "tick", "the run has ended",
        ])
        lab.expect(Text("the message comes through a Source1", "消息经由 Source1 到来"), each: "message", \.kind, is: "Source1")
    }

    private final class Delegate: PortDelegate {
        func handle(_ message: PortMessage) {
            lab.callout(.source1, "message")
        }
    }
}
