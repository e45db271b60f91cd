// display-link-frames: a display link is called once for each frame; missed frames are dropped.

import SwiftRunLoop

struct DisplayLinkFrames: Program {
    let about = About(
        name: "display-link-frames", claims: ["T8"], group: .timers,
        title: Text("a display link is called once a frame; frames that the loop has no time for are dropped",
                    "CADisplayLink 每帧调用一次；RunLoop 来不及处理的帧会被丢掉"),
        setting: Text("""
            The main loop has a display link for a display of 20 frames a second. Its third call takes as long as \
            three and a half frames.
            """, """
            主线程的 RunLoop 里有一个 display link，屏幕每秒 20 帧。第三次调用要花三帧半的时间。
            """),
        notice: Text("""
            The calls follow the frames of the display, one every twentieth of a second. After the long call, the \
            missed frames are not made up for: the next call is for the frame that the display shows by then, and it \
            is late. droppedFrames counts the frames that were left out.
            """, """
            调用跟着屏幕的帧走，每 0.05 秒一次。那次很长的调用之后，错过的帧不会补上：下一次调用对应的是屏幕\
            那时正在显示的帧，而且已经迟了。droppedFrames 记录丢了多少帧。
            """),
        correction: Text("""
            On a Mac, a display link has a Source1, and the display sends to that source's port. Article 3 calls it a \
            timer. Here it is a timer, because Linux has no frame events without a window system. The loop treats it \
            in the same way.
            """, """
            在 Mac 上，display link 有一个 Source1，屏幕向它的端口发消息。文章 3 把它叫作 Timer。这里用的\
            确实是 Timer，因为没有窗口系统时 Linux 不提供帧事件。对 RunLoop 来说，两者没有区别。
            """),
        seconds: 0.7
    )

    func run() {
        let frame = 0.05
        let link = DisplayLink(maximumFramesPerSecond: 20) { link in
            lab.observe("dropped", value: Double(link.droppedFrames)) // so far
            let call = lab.callout(.timer, "frame", "dropped so far: \(link.droppedFrames)", value: link.timestamp / frame)
            if call == 3 { Thread.sleep(forTimeInterval: 3.5 * frame) }
            if call == 5 { link.invalidate() }
        }
        link.add(to: .main, forMode: .common)
        while link.isValid { RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
    }

    func judge() {
        func growth(_ values: [Double]) -> Double? { values.last.map { $0 - values[0] } }
        lab.expect(Text("there are five calls", "一共调用五次"), "frame", times: 5)
        lab.expect(Text("frames that the display shows from the first call to the fifth", "从第一次到第五次调用，屏幕显示了多少帧"), of: "frame", isIn: 5.9...1000, unit: Text("frames", "帧")) { growth($0.values) }
        lab.expect(Text("frames that were neither called for nor counted as dropped", "既没有调用、又没有计入丢帧的帧数"), of: "frame", "dropped", isIn: -0.01...0.01,
                   unit: Text("frames", "帧")) { events in
            guard let passed = growth(events.values(of: "frame")), let dropped = growth(events.values(of: "dropped")) else { return nil }
            return passed - 4 - dropped
        }
    }
}
