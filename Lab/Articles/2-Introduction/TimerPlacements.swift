// Article 2, 〈1、NSTimer(常用件的RunLoop使用)〉: 2.13; its two pictures, a carousel that stops and one that goes on, are 2.15.
//
// The method `timer` with each of its three lines. What to see: which carousel turns while a list is dragged.

import SwiftRunLoop

// MARK: - The listing

/// A picture that changes with each tick of its timer.
private final class Carousel: Sendable {
    private let placement: String
    private let number = Counter()

    init(_ placement: String) { self.placement = placement }

    func run(_ timer: NSTimer) {
        lab.observe(aPictureTurns, "\(placement) in \(NSRunLoop.current.currentMode?.rawValue ?? "no mode")")
        NSLog("\(placement): 图片\(number.add())")
    }
}

private final class ViewController: ListController, @unchecked Sendable {
    override func viewDidLoad() {
        super.viewDidLoad()
        timer()
    }

    func timer() {
        func timer(_ placement: String) -> NSTimer {
            NSTimer(timeInterval: shortened(2), target: Carousel(placement), action: Carousel.run, userInfo: nil, repeats: true)
        }
        NSRunLoop.current.add(timer("NSDefaultRunLoopMode"), forMode: .default)

        NSRunLoop.current.add(timer("UITrackingRunLoopMode"), forMode: .tracking)

        NSRunLoop.current.add(timer("NSRunLoopCommonModes"), forMode: .common)
    }
}

// MARK: - Telling and judging

struct TimerPlacements: Program {
    let about = About(article: "2.13", seconds: 25)

    func run() {
        Stage.run(ViewController(), script: [
            .waitForLine("NSRunLoopCommonModes", times: 2), .drag(column: 30, from: 20, to: 10), .note("dragged"),
            .until { ["UITracking", "NSRunLoopCommon"].allSatisfy { lab.lines(with: $0, since: "dragged").count >= 2 } }, .note("lifted"), .lift,
            .until { lab.times("rests") == 1 }, .until { !lab.lines(with: "NSDefaultRunLoopMode", since: "rests").isEmpty },
        ])
    }

    func judge() {
        func whileDragged(_ claim: Text, _ placement: String, _ times: ClosedRange<Int>) { lab.article.expect(claim, line: placement, times: times, from: "dragged", to: "lifted") }
        lab.article.expect(Text("each carousel turns in the modes of its timer, and in no other", "每个轮播只在它的 Timer 所在的 mode 里轮播"), of: aPictureTurns, is: [
            "NSDefaultRunLoopMode in kCFRunLoopDefaultMode", "NSRunLoopCommonModes in UITrackingRunLoopMode",
            "NSRunLoopCommonModes in kCFRunLoopDefaultMode", "UITrackingRunLoopMode in UITrackingRunLoopMode",
        ]) { Set($0.map(\.detail)).sorted() }
        whileDragged(Text("while the finger is down, the first carousel stops", "手指按住时，第一个轮播停住"), "NSDefaultRunLoopMode", 0...0)
        whileDragged(Text("the one of the tracking mode turns", "tracking mode 的轮播转动"), "UITrackingRunLoopMode", 2...1000)
        whileDragged(Text("the one of the common modes goes on", "common modes 的轮播继续"), "NSRunLoopCommonModes", 2...1000)
        lab.expect(Text("no picture is left out: a timer that rests only loses time", "没有漏掉图片：停住的 Timer 只是损失了时间"), countIn: "NSDefaultRunLoopMode: 图片", least: 3)
    }
}

private let aPictureTurns = "a picture turns"
