// defer-images: images that have been loaded are shown when the user stops scrolling.

import SwiftRunLoop
import Synchronization

struct DeferImages: Experiment {
    let about = About(
        name: "defer-images", claims: ["A4"], group: .building, seconds: 0.7,
        shows: Text("images performed in the default mode alone wait until the user stops scrolling",
                    "只在默认 mode 里设置的图片，会等到用户停止滑动"),
        setting: Text("""
            The user scrolls: the main loop runs in the tracking mode, which is common, and a timer there scrolls the \
            list. Meanwhile three images are loaded on other threads (Lab/Designs/DeferredImages.swift). Each is to be \
            shown on the main thread: the first time in the default mode alone, the second time in the common modes.
            """, """
            用户在滑动：主线程的 RunLoop 运行在 tracking mode 里（它是 common mode），其中一个 Timer 让列表\
            滚动。与此同时，其他线程加载三张图片（Lab/Designs/DeferredImages.swift），然后在主线程上显示：第\
            一次只在默认 mode 里，第二次在 commonModes 里。
            """),
        notice: Text("""
            The first time, the images are loaded while the user scrolls, but they are shown only when the loop is \
            back in the default mode. The second time they are shown while the user scrolls. That is what makes a list \
            stutter.
            """, """
            第一次，用户滑动时图片已经加载好了，但要等 RunLoop 回到默认 mode 才显示。第二次，滑动过程中\
            图片就显示了，列表因此会卡顿。
            """)
    )

    private static let images = 3

    func run(_ lab: Lab) {
        RunLoop.main.addCommonMode(.tracking) // as UIKit does
        for modes in [RunLoop.Mode.default, .common] {
            lab.note("images for \(modes == .default ? "the default mode" : "the common modes")")
            scroll(lab, showingIn: modes)
        }

        let shown = "image", lifted = "the user stops"
        let images = Array(repeating: shown, count: Self.images)
        lab.expect(Text("in the default mode alone, images wait until the user stops", "只在默认 mode 里：图片等到用户停止滑动才显示"), order: [lifted] + images,
                   from: "images for the default mode", to: "images for the common modes")
        lab.expect(Text("in the common modes, they do not wait", "在 commonModes 里：图片不等"), order: images + [lifted], from: "images for the common modes")
        lab.expect(Text("images are shown on the main thread", "图片在主线程上显示"), each: shown, \.thread, is: "main")
        lab.expect(Text("in the default mode, images waited while the loop tracked",
                        "在默认 mode 里：RunLoop 处于 tracking mode 时，图片一直在等"), of: shown, isIn: 3...1e6, unit: Text("steps of scrolling", "步滚动")) {
            $0.values.prefix(Self.images).min()
        }
    }

    private func scroll(_ lab: Lab, showingIn mode: RunLoop.Mode) {
        let loaded = Loaded(), interval = lab.wait(0.03)
        nonisolated(unsafe) var steps = 0, shown = 0, stepsUntilLoaded: Int? // on the main thread alone
        let images = DeferredImages(modes: [mode]) { name in
            Thread.sleep(forTimeInterval: 3 * interval) // the list scrolls before the first image is there
            loaded.count.withLock { $0 += 1 }
            return name
        }
        let views = (1...Self.images).map { _ in
            ImageView { _ in
                shown += 1
                lab.callout(.source0, "image", "\(shown) of \(Self.images)", value: Double(steps - (stepsUntilLoaded ?? steps)))
            }
        }
        for (number, view) in views.enumerated() { images.load("image \(number)", for: view) }

        nonisolated(unsafe) var isOver = false
        let timer = Timer(timeInterval: interval, repeats: true) { timer in
            steps += 1
            if steps == 1 { lab.callout(.timer, "scrolls") }
            if stepsUntilLoaded == nil, loaded.count.withLock({ $0 }) == Self.images { stepsUntilLoaded = steps }
            guard let since = stepsUntilLoaded, mode == .common ? shown == Self.images : steps >= since + 5 else { return }
            lab.callout(.timer, "the user stops")
            timer.invalidate()
            isOver = true
        }
        RunLoop.main.add(timer, forMode: .tracking)
        lab.runMain(.tracking) { isOver }
        lab.runMain { shown == Self.images }
    }

    private final class Loaded: Sendable {
        let count = Mutex(0)
    }
}
