// LoopbackServer.swift: a small HTTP server at a port of this computer, for the articles' requests.

import Dispatch
import Glibc
import SwiftRunLoop

/// Answers each request with the same body, on a thread of its own, as long as the object lives.
final class LoopbackServer: Sendable {
    /// The port's number.
    let port: UInt16
    private let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)

    /// Starts the server.
    /// - Parameters:
    ///   - parts: the body. There is a pause between its parts.
    ///   - hung: called when a client that asked for "/slow", whose body never comes, has closed the connection.
    init(parts: [String], hung: @escaping @Sendable () -> Void = {}) {
        var address = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian // 127.0.0.1
        let error = withUnsafeMutablePointer(to: &address) { [socket] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) | getsockname(socket, $0, &size) }
        }
        if error != 0 || listen(socket, 5) != 0 { fail(Text("no TCP port is available: \(reason(errno))", "没有可用的 TCP 端口：\(reason(errno))"), status: 1) }
        port = UInt16(bigEndian: address.sin_port)
        let thread = Thread { [socket] in
            while true {
                let client = accept(socket, nil, nil)
                if client < 0 { break }
                DispatchQueue.global().async { Self.answer(client, parts, hung) }
            }
            close(socket)
        }
        thread.name = "server"
        thread.start()
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR)) // ends the thread's wait
    }

    private static func answer(_ client: Int32, _ parts: [String], _ hung: () -> Void) {
        defer { close(client) }
        var text = "", byte: UInt8 = 0
        while !text.hasSuffix("\r\n\r\n"), read(client, &byte, 1) == 1 { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        say(client, "HTTP/1.0 200 OK\r\n\r\n")
        if text.hasPrefix("GET /slow") {
            while read(client, &byte, 1) == 1 {}
            return hung()
        }
        for part in parts {
            usleep(20_000)
            say(client, part)
        }
    }

    private static func say(_ client: Int32, _ text: String) {
        let bytes = Array(text.utf8)
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
