// stop-innermost: runs nest, each in a mode of its own, and a stop ends the innermost run.

import SwiftRunLoop

struct StopInnermost: Program {
    let about = About(
        name: "stop-innermost", claims: ["L7", "S7"], group: .leaving,
        title: Text("runs nest, each in a mode of its own, and a stop ends the innermost run",
                    "运行可以嵌套，每次各有自己的 mode；stop 结束最里面的一次"),
        setting: Text("""
            The main loop runs in "outer". The callback of a timer there runs the loop again, in "inner", where \
            another timer stops the loop twice. Later, a second timer in "outer" stops it once more.
            """, """
            主线程的 RunLoop 在 “outer” 里运行。其中一个 Timer 的回调让 RunLoop 再在 “inner” 里运行，那里的\
            另一个 Timer 停止两次 RunLoop。之后，“outer” 里的第二个 Timer 再停止一次。
            """),
        notice: Text("""
            During the inner run the loop is in "inner", and the items of "outer" wait. The first stop ends the inner \
            run, and the outer run goes on; the second stop of the same callback has no further effect. The next stop \
            comes outside the inner run, and ends the outer one.
            """, """
            在内层运行期间，RunLoop 处于 “inner”，“outer” 里的 item 都要等。第一次停止结束内层运行，外层继续；\
            同一个回调里的第二次停止没有别的作用。下一次停止发生在内层运行之外，结束的是外层。
            """),
        seconds: 0.1
    )

    func run() {
        let outer = RunLoop.Mode("outer"), inner = RunLoop.Mode("inner"), soon = lab.wait(0.02)
        RunLoop.main.add(Timer(timeInterval: soon, repeats: false) { _ in
            lab.callout(.timer, "inner stopper")
            RunLoop.main.stop()
            RunLoop.main.stop()
        }, forMode: inner)
        RunLoop.main.add(Timer(timeInterval: soon, repeats: false) { _ in
            lab.callout(.timer, "inner run begins")
            _ = RunLoop.main.run(mode: inner, before: .distantFuture)
            lab.callout(.timer, "inner run has ended")
            RunLoop.main.add(Timer(timeInterval: soon, repeats: false) { _ in
                lab.callout(.timer, "outer stopper")
                RunLoop.main.stop()
            }, forMode: outer)
        }, forMode: outer)

        lab.note("outer run begins")
        _ = RunLoop.main.run(mode: outer, before: .distantFuture)
        lab.note("outer run has ended")
    }

    func judge() {
        lab.expect(Text("each stop ends one run, the inner run first", "每次停止结束一次运行，先是内层"), order: [
            "outer run begins", "inner run begins", "inner stopper", "inner run has ended", "outer stopper",
            "outer run has ended",
        ])
        lab.expect(Text("during the inner run the mode is \"inner\"", "内层运行期间，mode 是 “inner”"), each: "inner stopper", \.mode, is: "inner")
        lab.expect(Text("after the inner run the mode is \"outer\" again", "内层运行之后，mode 又是 “outer”"), each: "inner run has ended", \.mode, is: "outer")
    }
}
