// Article 4, 〈1.2 事件源分类与处理〉: 4.2.
//
// Each row of the article's table happens once. What to see: which kind of callout the loop makes for it; refreshing the screen is no source.

import Glibc
import SwiftRunLoop

// MARK: - The listing

private final class ViewController: UIViewController, PortDelegate, @unchecked Sendable {
    private let readable: Int32
    private var sources: [AnyObject] = []
    private let port = NSMachPort()

    init(_ readable: Int32) {
        self.readable = readable
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        LayerTransaction.current.begin { [unowned self] _, _ in happened("界面刷新") }

        let source = RunLoop.Source { [unowned self] in happened("自定义事件") }
        NSRunLoop.main.add(source, forMode: .common)
        source.signal()
        let process = try! RunLoop.Source(fileDescriptor: readable) { [unowned self] _, _ in
            var byte: UInt8 = 0
            read(readable, &byte, 1)
            if byte == UInt8(ascii: "x") { happened("进程间通信") }
        }
        NSRunLoop.main.add(process, forMode: .common)
        sources = [source, process]
        port.setDelegate(self)
        NSRunLoop.main.add(port, forMode: .common)
        _ = port.send(before: Date(timeIntervalSinceNow: 1), msgid: 1, components: nil, from: nil, reserved: 0)

        NSRunLoop.main.add(NSTimer(timeInterval: 0.01, repeats: false) { [unowned self] _ in happened("NSTimer") }, forMode: .common)
        let link = DisplayLink { [unowned self] link in
            link.invalidate()
            happened("CADisplayLink")
        }
        link.add(to: .main, forMode: .common)
        perform(ViewController.delayed, afterDelay: 0.01)

        Application.shared?.willReceive = { [unowned self] event in if event.phase == .down { happened("系统事件") } }
    }

    override func viewWillDisappear() { // ends what the loop would call
        LayerTransaction.current.end()
        for source in sources { (source as? RunLoop.Source)?.invalidate() }
        port.invalidate()
    }

    private func delayed() { happened("performSelector:withObject:afterDelay:") }

    @inline(never) // so that a release build has its frame
    func handle(_ message: PortMessage) { happened("Mach端口事件") }

    override func touchesBegan(_ touch: Touch) {
        happened("用户触摸")
        view.layer.contents = ["touched"]
    }

    /// Logs the row, with the callout that the loop makes now, as the loop itself says.
    private func happened(_ row: String) {
        let callout = (lab.currentCallout ?? .observer).rawValue
        NSLog("\(row): \(shown(callout))")
        lab.observe("callout", "\(row) \(callout)")
    }
}

// MARK: - Telling and judging

struct EventSources: Program {
    let about = About(article: "4.2", seconds: 0.2)

    private static let table = [
        "Source0": ["用户触摸", "界面刷新", "自定义事件"], "Source1": ["系统事件", "进程间通信", "Mach端口事件"],
        "timer": ["NSTimer", "CADisplayLink", "performSelector:withObject:afterDelay:"],
    ]

    func run() {
        let (readable, writable) = makePipe()
        Stage.run(ViewController(readable), script: [
            .until { lab.times("callout") == 5 }, // the timers, the custom source and the port
            .tap(column: 5, row: 5),
            .other {
                _ = ChildProcess.run("/bin/sh", ["-c", "echo x >/proc/\(getpid())/fd/\(writable)"], limit: 10) // another process
                lab.waitUntil { lab.times("callout") == 9 }
            },
        ])
        close(readable)
        close(writable)
    }

    func judge() {
        func expect(_ claimant: some Claimant, _ row: String, _ callout: String) {
            claimant.expect(Text("\(row): \(callout)", "\(row)：\(EventWords.chinese(for: callout))"), of: "callout", is: ["\(row) \(callout)"]) { $0.map(\.detail).filter { $0.hasPrefix("\(row) ") } }
        }
        for callout in ["Source0", "Source1", "timer"] { for row in Self.table[callout]! { expect(lab.article, row, callout) } }
        expect(lab, "界面刷新", "observer")
        lab.expect(Text("every row has happened", "每一行都发生了"), of: "callout", is: 9) { $0.count }
    }
}
