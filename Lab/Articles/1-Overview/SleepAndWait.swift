// Article 1, 〈Runloop伪代码〉: 1.1; the same model in 2.1.
//
// main as a loop around sleep_and_wait and process_message. What to see: three messages, no processor time between them, the fourth ends it.

import CRunLoop
import Glibc
import SwiftRunLoop

private let onAPipe = Text("pipe", "管道").description, onTheLoop = Text("loop", "RunLoop").description

// MARK: - The listing

private func main(_ descriptor: Int32) {
    autoreleasepool {
        var retVal = 0
        repeat {
            let message = sleep_and_wait(descriptor)
            retVal = process_message(message, onAPipe)
        } while 0 == retVal
    }
}

private func sleep_and_wait(_ descriptor: Int32) -> Int {
    var byte: UInt8 = 0
    read(descriptor, &byte, 1)
    return Int(byte) - 48
}

private func process_message(_ message: Int, _ name: String) -> Int {
    NSLog(line(name, message))
    return message == 9 ? 1 : 0
}

// MARK: - Telling and judging

struct SleepAndWait: Program {
    let about = About(article: "1.1", seconds: 0.7)

    func run() {
        for isReal in [false, true] {
            let ends = makePipe()
            let writeEnd = ends.writeEnd, name = isReal ? onTheLoop : onAPipe
            let sender = lab.startThread("sender") {
                for (index, byte) in "1239".utf8.enumerated() {
                    lab.waitUntil { lab.lines(with: "\(name): ").count == index }
                    usleep(useconds_t(lab.wait(0.08) * 1e6))
                    withUnsafeBytes(of: byte) { _ = write(writeEnd, $0.baseAddress, 1) }
                }
            }
            let start = now(CLOCK_THREAD_CPUTIME_ID)
            if isReal { onALoop(ends.readEnd) } else { main(ends.readEnd) }
            lab.observe("processor time", value: now(CLOCK_THREAD_CPUTIME_ID) - start)
            lab.waitUntil { sender.isFinished }
            close(ends.readEnd)
            close(ends.writeEnd)
        }
    }

    private func onALoop(_ descriptor: Int32) {
        let mode = RunLoop.Mode("messages")
        let source = try! RunLoop.Source(fileDescriptor: descriptor) { _, _ in
            if process_message(sleep_and_wait(descriptor), onTheLoop) != 0 { RunLoop.current.stop() }
        }
        RunLoop.current.add(source, forMode: mode)
        RunLoop.current.runUntilStopped(in: mode)
        source.invalidate()
    }

    func judge() {
        lab.article.expect(Text("three messages are processed, and the fourth ends the loop; the real loop does the same", "处理三条消息，第四条结束循环；真正的 RunLoop 也一样"), lines: [onAPipe, onTheLoop].flatMap { name in [1, 2, 3, 9].map { line(name, $0) } })
        lab.article.expect(Text("the thread takes hardly any processor time", "几乎不占用 CPU"), of: "processor time", isIn: 0...0.1) {
            $0.values.count == 2 ? $0.values.max() : nil
        }
        lab.expect(Text("both loops were measured", "两个循环都测量了"), of: "processor time", is: 2) { $0.count }
    }
}

private func line(_ name: String, _ message: Int) -> String {
    Text("\(name): message \(message)\(message == 9 ? ", the last" : "")", "\(name): 消息 \(message)\(message == 9 ? "，最后一条" : "")").description
}
