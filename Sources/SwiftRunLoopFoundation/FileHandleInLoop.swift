// FileHandleInLoop.swift: the notifications of FileHandle, posted from this run loop. Foundation's methods of these
// names read on a thread of libdispatch and post through Foundation's NotificationQueue, which posts nothing while this
// loop runs.

#if os(Linux)
import Synchronization

extension FileHandle {
    /// Reads what is there as soon as there is something, and posts `FileHandle.readCompletionNotification`
    /// (readInBackgroundAndNotifyForModes:).
    ///
    /// The loop's thread reads, up to 64 KB, and posts. The data is in the user info, under
    /// `NSFileHandleNotificationDataItem`; it is empty at the end of the file, and after an error, whose number is
    /// under `NSFileHandleError`. To read on, call this again.
    /// - Parameters:
    ///   - runLoop: the loop that waits. It retains the file handle until the notification has been posted.
    ///   - modes: the modes in which the notification may be posted. If the array is empty, nothing happens.
    public func readInBackgroundAndNotify(
        in runLoop: SwiftRunLoop.RunLoop, forModes modes: [SwiftRunLoop.RunLoop.Mode] = [.default]
    ) {
        whenReadable(in: runLoop, modes) { handle, failure in
            if failure != 0 { return handle.post(FileHandle.readCompletionNotification, Data(), error: failure) }
            let bytes = readBytes(from: handle.fileDescriptor), error = bytes == nil ? errno : 0
            if error == EAGAIN || error == EINTR { return false }
            return handle.post(FileHandle.readCompletionNotification, Data(bytes ?? []), error: error)
        }
    }

    /// Reads to the end of the file, and posts `.NSFileHandleReadToEndOfFileCompletion`
    /// (readToEndOfFileInBackgroundAndNotifyForModes:).
    ///
    /// The loop's thread reads what is there each time there is something, and posts once, at the end. The data is in
    /// the user info, under `NSFileHandleNotificationDataItem`. After an error, whose number is under
    /// `NSFileHandleError`, it is what was read before.
    /// - Parameters:
    ///   - runLoop: the loop that waits. It retains the file handle until the notification has been posted.
    ///   - modes: the modes in which the notification may be posted. If the array is empty, nothing happens.
    public func readToEndOfFileInBackgroundAndNotify(
        in runLoop: SwiftRunLoop.RunLoop, forModes modes: [SwiftRunLoop.RunLoop.Mode] = [.default]
    ) {
        let all = Collected()
        whenReadable(in: runLoop, modes) { handle, failure in
            if failure != 0 { return handle.post(.NSFileHandleReadToEndOfFileCompletion, Data(), error: failure) }
            let bytes = readBytes(from: handle.fileDescriptor), error = bytes == nil ? errno : 0
            if let bytes, !bytes.isEmpty {
                all.append(bytes)
                return false
            }
            if error == EAGAIN || error == EINTR { return false }
            return handle.post(.NSFileHandleReadToEndOfFileCompletion, all.data, error: error)
        }
    }

    /// Posts `.NSFileHandleDataAvailable` as soon as there is something to read, without reading
    /// (waitForDataInBackgroundAndNotifyForModes:).
    ///
    /// It is posted at the end of the file, too. If the descriptor is closed, it is posted at once, with the error's
    /// number under `NSFileHandleError`. To wait again, call this again.
    /// - Parameters:
    ///   - runLoop: the loop that waits. It retains the file handle until the notification has been posted.
    ///   - modes: the modes in which the notification may be posted. If the array is empty, nothing happens.
    public func waitForDataInBackgroundAndNotify(
        in runLoop: SwiftRunLoop.RunLoop, forModes modes: [SwiftRunLoop.RunLoop.Mode] = [.default]
    ) {
        whenReadable(in: runLoop, modes) { handle, failure in
            handle.post(.NSFileHandleDataAvailable, nil, error: failure)
        }
    }

    /// Accepts a connection as soon as there is one, and posts `.NSFileHandleConnectionAccepted`
    /// (acceptConnectionInBackgroundAndNotifyForModes:).
    ///
    /// The file handle of a socket that listens can do this. The new connection's file handle, which closes the
    /// connection when it is deallocated, is in the user info, under `NSFileHandleNotificationFileHandleItem`. After an
    /// error, its number is under `NSFileHandleError`. To accept the next connection, call this again.
    /// - Parameters:
    ///   - runLoop: the loop that waits. It retains the file handle until the notification has been posted.
    ///   - modes: the modes in which the notification may be posted. If the array is empty, nothing happens.
    public func acceptConnectionInBackgroundAndNotify(
        in runLoop: SwiftRunLoop.RunLoop, forModes modes: [SwiftRunLoop.RunLoop.Mode] = [.default]
    ) {
        whenReadable(in: runLoop, modes) { handle, failure in
            let name = Notification.Name.NSFileHandleConnectionAccepted
            if failure != 0 { return handle.post(name, nil, error: failure) }
            let connection = accept(handle.fileDescriptor, nil, nil), error = errno
            if connection < 0 {
                return [EAGAIN, EINTR, ECONNABORTED].contains(error) ? false : handle.post(name, nil, error: error)
            }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            return handle.post(name, nil, accepted: FileHandle(fileDescriptor: connection, closeOnDealloc: true))
        }
    }

    /// Returns true, because nothing is left to do.
    private func post(
        _ name: Notification.Name, _ data: Data?, accepted connection: FileHandle? = nil, error: Int32 = 0
    ) -> Bool {
        var info: [AnyHashable: Any] = [:]
        info[NSFileHandleNotificationDataItem] = data
        info[NSFileHandleNotificationFileHandleItem] = connection
        if error != 0 { info["NSFileHandleError"] = Int(error) }
        NotificationCenter.default.post(name: name, object: self, userInfo: info.isEmpty ? nil : info)
        return true
    }

    /// Calls a closure on the loop's thread whenever the descriptor is readable, until it returns true. If the
    /// descriptor is closed, the closure gets the error number instead of 0.
    private func whenReadable(
        in runLoop: SwiftRunLoop.RunLoop, _ modes: [SwiftRunLoop.RunLoop.Mode],
        _ isDone: @escaping @Sendable (FileHandle, Int32) -> Bool
    ) {
        if modes.isEmpty { return }
        do {
            let source = try SwiftRunLoop.RunLoop.Source(fileDescriptor: fileDescriptor) { [self] source, _ in
                if isDone(self, 0) { source.invalidate() }
            }
            for mode in modes { runLoop.add(source, forMode: mode) }
        } catch {
            // with EPERM, no loop can wait for it because it is always readable, as a file is
            let failure = error.code == .EPERM ? 0 : error.code.rawValue
            runLoop.perform(inModes: modes) { [self] in while !isDone(self, failure) {} }
            runLoop.wakeUp()
        }
    }
}

/// The data that has been read so far.
private final class Collected: Sendable {
    private let bytes = Mutex(Data())
    func append(_ more: [UInt8]) { bytes.withLock { $0.append(contentsOf: more) } }
    var data: Data { bytes.withLock { $0 } }
}
#endif
