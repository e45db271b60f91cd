// FrameFuzzer.swift: what another program sends to a SocketPort is messages or is refused, however the socket cuts it into pieces.
// Compiled with: Sources/SwiftRunLoop/*.swift Sources/SwiftRunLoop/Unsafe/*.swift
//
// The first byte of an input is the size of the pieces in which the rest arrives. The rest is read twice: in these pieces, as PortListener
// reads a connection, and at once. Both must find the same messages, and each message must be the same after it has been written and read
// again.

internal import FoundationEssentials

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    guard let size = bytes.first else { return 0 }
    let whole = frames(in: bytes.dropFirst(), piece: bytes.count), pieces = frames(in: bytes.dropFirst(), piece: Int(size) + 1)
    holds(whole.frames == pieces.frames && whole.isMalformed == pieces.isMalformed, "the pieces make no difference")
    holds(whole.isMalformed || whole.rest == pieces.rest, "the same bytes wait for the rest of a message")
    for frame in whole.frames {
        holds(frame.replySignature?.isUsable ?? true, "a port for replies has an address to which a socket can connect")
        guard let written = frame.bytes else { continue } // it does not fit with the sizes
        holds(frames(in: Array(written)[...], piece: written.count).frames == [frame], "a message is the same after it has been sent")
    }
    for var signature in whole.frames.compactMap(\.replySignature) {
        signature.replaceWildcard(by: signature.address)
        signature.replaceWildcard(by: Data())
        holds(signature.isUsable, "an address stays one")
    }
    return 0
}

/// Reads as PortListener does.
private func frames(in bytes: ArraySlice<UInt8>, piece: Int) -> (frames: [PortMessageFrame], rest: Data, isMalformed: Bool) {
    var unread = bytes, waiting = Data(), frames: [PortMessageFrame] = []
    while !unread.isEmpty {
        waiting += unread.prefix(piece)
        unread = unread.dropFirst(piece)
        var reader = FrameReader(waiting)
        do {
            while let frame = try PortMessageFrame.next(&reader) { frames.append(frame) }
            waiting = reader.rest
        } catch {
            return (frames, Data(), true)
        }
    }
    return (frames, waiting, false)
}

private func holds(_ condition: Bool, _ law: String) {
    if !condition { fatalError("it does not hold that \(law)") }
}
