// modes-isolate: a loop serves the items of one mode at a time.

import SwiftRunLoop

struct ModesIsolate: Program {
    let about = About(
        name: "modes-isolate", claims: ["S6", "S7", "L3"], group: .structure,
        title: Text("only the items of the current mode are served", "只处理当前 mode 里的 item"),
        setting: Text("""
            The main loop has a timer in the mode "work" and a timer in the mode "play". It runs in "work" and then in \
            "play", each time until the timer has fired three times. Then it runs in "rest", which is empty.
            """, """
            主线程的 RunLoop 在 mode “work” 里有一个 Timer，在 “play” 里也有一个。它先在 “work” 里运行，再在\
             “play” 里运行，每次直到 Timer 触发三次。然后在空的 “rest” 里运行。
            """),
        notice: Text("""
            To change its mode, a loop has to end the run and begin another. While it runs in one mode, the items of \
            the other wait. Neither timer keeps the run in "rest" going.
            """, """
            要换 mode，RunLoop 必须退出当前的运行，再开始一次。它在一个 mode 里运行时，另一个 mode 里的 item\
             都要等。“rest” 里的运行，靠这两个 Timer 都维持不下去。
            """),
        seconds: 0.3
    )

    func run() {
        let work = RunLoop.Mode("work"), play = RunLoop.Mode("play"), rest = RunLoop.Mode("rest")
        for mode in [work, play] {
            let timer = Timer(timeInterval: lab.wait(0.05), repeats: true) { _ in
                if lab.callout(.timer, "timer of \(mode.rawValue)") == 3 { RunLoop.main.stop() }
            }
            RunLoop.main.add(timer, forMode: mode)
        }

        for mode in [work, play, rest] {
            lab.note("run in \(mode.rawValue)")
            _ = RunLoop.main.run(mode: mode, before: .distantFuture)
        }
        lab.note("no run", "currentMode is \(RunLoop.main.currentMode?.rawValue ?? "nil")")
    }

    func judge() {
        lab.expect(Text("while the loop runs in \"work\", only the timer of \"work\" fires",
                        "RunLoop 在 “work” 里运行时，只有 “work” 的 Timer 触发"),
                   order: ["timer of work", "timer of work", "timer of work"],
                   from: "run in work", to: "run in play", among: ["timer of play"])
        lab.expect(Text("while it runs in \"play\", only the timer of \"play\" fires", "在 “play” 里运行时，只有 “play” 的 Timer 触发"),
                   order: ["timer of play", "timer of play", "timer of play"],
                   from: "run in play", to: "run in rest", among: ["timer of work"])
        lab.expect(Text("currentMode is the mode of the run", "currentMode 就是运行所在的 mode"), each: "timer of play", \.mode, is: "play")
        lab.expect(Text("the run in \"rest\" returns at once", "在 “rest” 里运行，马上返回"), order: ["run in rest", "no run"], from: "run in rest",
                   among: ["timer of work", "timer of play"])
    }
}
