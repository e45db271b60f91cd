// display-link-frames: a call for each frame of a display; frames missed are dropped.

import SwiftRunLoop

struct DisplayLinkFrames: Experiment {
    let about = About(
        name: "display-link-frames", claims: ["T8"], group: .timers, seconds: 0.7,
        shows: "a display link is called once a frame; frames that the loop had no time for are dropped",
        setting: """
            A display link for a display of 20 frames a second is in the main loop. Its third call takes as long as three and \
            a half frames.
            """,
        notice: """
            The calls come in the rhythm of the display, one in a twentieth of a second. After the long call, those missed are \
            not made up for: the next is for the frame that is being shown by then, late, and droppedFrames says how many were \
            left out.
            """,
        correction: """
            On a Mac a display link has a source 1, whose port the display sends to; article 3 calls it a timer. Here it is \
            one: Linux tells nobody about frames without a window system. What the loop makes of it is the same.
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
        lab.expect("five calls", "frame", times: 5)
        lab.expect("in that time the display has shown", of: "frame", isIn: 5.9...1000, unit: "frames more") { growth($0.values) }
        lab.expect("each of them was called for, or counted as dropped; left are", of: "frame", "dropped", isIn: -0.01...0.01,
                   unit: "frames") { events in
            guard let passed = growth(events.values(of: "frame")), let dropped = growth(events.values(of: "dropped")) else { return nil }
            return passed - 4 - dropped
        }
    }
}
