// EventsFuzzer.swift: fuzzes recordings of events and the bytes that terminals send.
// Compiled with: Lab/UIKit/Events/EventFile.swift Lab/UIKit/Events/InputEvent.swift Lab/UIKit/Events/TerminalParser.swift Lab/Common/Words.swift Lab/Common/Text.swift
//
// An input that begins with R is a recording. Any other input is what a terminal sends.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEvents(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    if bytes.first == UInt8(ascii: "R") { checkRecording(bytes) } else { checkTerminal(bytes) }
    return 0
}

private func holds(_ condition: Bool, _ law: String) {
    if !condition { fatalError("it does not hold that \(law)") }
}

/// A finger that is put down before it moves and is lifted, on the screen.
private func checkOrder(_ events: [InputEvent], mayEndDown: Bool) {
    var isDown = false
    for event in events {
        guard case .touch(let phase, let column, let row) = event else { continue }
        holds(isDown == (phase != .down), "one finger is put down, moves and is lifted")
        isDown = phase != .up
        holds((1...InputEvent.screenLimit).contains(column) && (1...InputEvent.screenLimit).contains(row), "it is on the screen")
    }
    holds(mayEndDown || !isDown, "it is up at the end")
}

private func checkRecording(_ bytes: [UInt8]) {
    do throws(EventFile.Failure) {
        let file = try EventFile(bytes: bytes), events = file.entries.map(\.event)
        checkOrder(events, mayEndDown: false)
        holds(zip(file.entries, file.entries.dropFirst()).allSatisfy { $0.time <= $1.time }, "times do not go back")
        holds(events.allSatisfy { InputEvent($0.description) == $0 }, "an event can be read from its words")
        let again = try EventFile(bytes: Array(file.text.utf8))
        holds(again == file && again.text == file.text, "what was read is written so that it reads the same")
    } catch {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).count
        holds((1...lines).contains(error.line) && !error.message.english.isEmpty, "an error names a line of the file")
    }
}

/// However the bytes are split, they give the same events, and no more bytes wait than one sequence has.
private func checkTerminal(_ bytes: [UInt8]) {
    var whole = TerminalParser(), inPieces = TerminalParser()
    let events = whole.parse(bytes), cut = Int(bytes.first ?? 1) % 5 + 1
    var ofPieces: [InputEvent] = []
    for start in stride(from: 0, to: bytes.count, by: cut) { ofPieces += inPieces.parse(bytes[start..<min(start + cut, bytes.count)]) }
    holds(events == ofPieces && whole.isWaiting == inPieces.isWaiting, "it does not matter how the bytes are cut")
    checkOrder(events, mayEndDown: true)
    holds(whole.pause() == inPieces.pause() && !whole.isWaiting, "nothing waits after a pause")
}
