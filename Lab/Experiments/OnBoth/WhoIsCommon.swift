// who-is-common: on every loop only the default mode is common, until the program declares another one.

#if ON_FOUNDATION
import Foundation
#else
import SwiftRunLoop
#endif

struct WhoIsCommon: Experiment {
    let about = About(
        name: "who-is-common", claims: ["S11"], group: .structure, seconds: 0.3,
        shows: Text("only the default mode is common, until the program declares another one",
                    "只有默认 mode 是 common mode，除非程序声明别的"),
        setting: Text("""
            The main loop and the loop of another thread each get a timer in the common modes, and a timer that ends a \
            run in the tracking mode. Both loops run in the tracking mode: first as they are, then with the tracking \
            mode declared common.
            """, """
            主线程和另一个线程的 RunLoop 各有一个加到 commonModes 的 Timer，还有一个在 tracking mode 里结束\
            运行的 Timer。两个 RunLoop 都在 tracking mode 里运行：第一次照原样，第二次先把 tracking mode 声\
            明为 common mode。
            """),
        notice: Text("""
            On neither loop does the timer fire while the loop tracks, until the tracking mode is declared common.
            """, """
            两个 RunLoop 都一样：把 tracking mode 声明为 common mode 之前，RunLoop 在 tracking mode 里时这个\
             Timer 不触发。
            """),
        correction: Text("""
            Articles 0, 1, 2 and 4 say that the default mode and the tracking mode are common on the main loop. In an \
            iOS application they are: UIKit declares the tracking mode common on the main loop when the application \
            starts. The loop itself does not, on any thread. A secondary thread has to do so itself, as article 0 \
            finds out. (Correction 11 of corrections.md.)
            """, """
            文章 0、1、2、4 说，主线程的 RunLoop 上默认 mode 和 tracking mode 都是 common mode。在 iOS \
            App 里确实如此：应用启动时，UIKit 在主线程的 RunLoop 上把 tracking mode 声明为 common mode。\
            RunLoop 自己不会这样做，哪个线程都一样。子线程要自己声明，文章 0 后来也发现了。（\
            corrections.zh.md，更正 11。）
            """)
    )

    func run(_ lab: Lab) {
        track(lab, "on main")
        lab.onThread("other") { track(lab, "elsewhere") }

        for place in ["on main", "elsewhere"] {
            lab.expect(Text("\(place): the timer fires only after the tracking mode is declared common",
                            "\(shown(place))：tracking mode 声明为 common mode 之后，Timer 才触发"), order: [
                "tracking begins \(place)", "tracking ends \(place)", "declared common \(place)",
                "tracking begins \(place)", "common timer \(place)", "tracking ends \(place)",
            ])
        }
    }

    private func track(_ lab: Lab, _ place: String) {
        let loop = RunLoop.current
        loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in lab.callout(.timer, "common timer \(place)") },
                 forMode: .common)
        for isDeclared in [false, true] {
            if isDeclared {
                loop.addCommonMode(.tracking)
                lab.note("declared common \(place)")
            }
            lab.note("tracking begins \(place)")
            loop.add(Timer(timeInterval: lab.wait(0.05), repeats: false) { _ in RunLoop.current.stop() }, forMode: .tracking)
            _ = loop.run(mode: .tracking, before: .distantFuture)
            lab.note("tracking ends \(place)")
        }
    }
}
