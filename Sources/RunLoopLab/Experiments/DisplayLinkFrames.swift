// display-link-frames: a display link is called once for each frame; missed frames are dropped.

import SwiftRunLoop

struct DisplayLinkFrames: Experiment {
    let about = About(
        name: "display-link-frames", claims: ["T8"], group: .timers, seconds: 0.7,
        shows: "a display link is called once a frame; frames that the loop has no time for are dropped",
        setting: """
            The main loop has a display link for a display of 20 frames a second. Its third call takes as long as \
            three and a half frames.
            """,
        notice: """
            The calls follow the frames of the display, one every twentieth of a second. After the long call, the \
            missed frames are not made up for: the next call is for the frame that the display shows by then, and it \
            is late. droppedFrames counts the frames that were left out.
            """,
        correction: """
            On a Mac, a display link has a Source1, and the display sends to that source's port. Article 3 calls it a \
            timer. Here it is a timer, because Linux has no frame events without a window system. The loop treats it \
            in the same way.
            """
    )

    func run(_ lab: Lab) {
        let frame = 0.05
        let link = DisplayLink(maximumFramesPerSecond: 20) { link in
            lab.observe("dropped", value: Double(link.droppedFrames)) // so far
            let call = lab.callout(.timer, "frame", "dropped so far: \(link.droppedFrames)", value: link.timestamp / frame)
            if call == 3 { Thread.sleep(forTimeInterval: 3.5 * frame) }
            if call == 5 { link.invalidate() }
        }
        link.add(to: .main, forMode: .common)
        while link.isValid { RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }

        func growth(_ values: [Double]) -> Double? { values.last.map { $0 - values[0] } }
        lab.expect("there are five calls", "frame", times: 5)
        lab.expect("frames that the display shows from the first call to the fifth", of: "frame", isIn: 5.9...1000, unit: "frames") { growth($0.values) }
        lab.expect("frames that were neither called for nor counted as dropped", of: "frame", "dropped", isIn: -0.01...0.01,
                   unit: "frames") { events in
            guard let passed = growth(events.values(of: "frame")), let dropped = growth(events.values(of: "dropped")) else { return nil }
            return passed - 4 - dropped
        }
    }
}
