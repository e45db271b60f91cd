// FileHandleInLoop.swift: the notifications of FileHandle, posted from this run loop. Foundation's methods of these
// names read on a thread of libdispatch and post through Foundation's NotificationQueue, which posts nothing while this
// loop runs.
//
// A method with the signature of one of another module hides that one in a file that sees the other module only through
// this one. Without @_disfavoredOverload, a file that also imports Foundation would find two; there, Foundation's is
// chosen.

#if os(Linux)
import Synchronization

extension FileHandle {
    /// Calls `readInBackgroundAndNotify(in:forModes:)` for the calling thread's loop, in the default mode
    /// (readInBackgroundAndNotify).
    @_disfavoredOverload
    public func readInBackgroundAndNotify() { readInBackgroundAndNotify(in: .current) }

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
        whenReadable(in: runLoop, modes, FileHandle.readCompletionNotification, afterError: { Data() }) {
            (handle) throws(POSIXError) in
            try handle.readOnce().map { [NSFileHandleNotificationDataItem: $0] }
        }
    }

    /// Calls `readToEndOfFileInBackgroundAndNotify(in:forModes:)` for the calling thread's loop, in the default mode
    /// (readToEndOfFileInBackgroundAndNotify).
    @_disfavoredOverload
    public func readToEndOfFileInBackgroundAndNotify() { readToEndOfFileInBackgroundAndNotify(in: .current) }

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
        let all = Mutex(Data()) // that has been read so far
        whenReadable(in: runLoop, modes, .NSFileHandleReadToEndOfFileCompletion, afterError: { all.withLock { $0 } }) {
            (handle) throws(POSIXError) in
            guard let data = try handle.readOnce() else { return nil }
            all.withLock { $0.append(data) }
            return data.isEmpty ? [NSFileHandleNotificationDataItem: all.withLock { $0 }] : nil
        }
    }

    /// Calls `waitForDataInBackgroundAndNotify(in:forModes:)` for the calling thread's loop, in the default mode
    /// (waitForDataInBackgroundAndNotify).
    @_disfavoredOverload
    public func waitForDataInBackgroundAndNotify() { waitForDataInBackgroundAndNotify(in: .current) }

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
        whenReadable(in: runLoop, modes, .NSFileHandleDataAvailable) { _ in [:] }
    }

    /// Calls `acceptConnectionInBackgroundAndNotify(in:forModes:)` for the calling thread's loop, in the default mode
    /// (acceptConnectionInBackgroundAndNotify).
    @_disfavoredOverload
    public func acceptConnectionInBackgroundAndNotify() { acceptConnectionInBackgroundAndNotify(in: .current) }

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
        whenReadable(in: runLoop, modes, .NSFileHandleConnectionAccepted) { handle throws(POSIXError) in
            let connection = accept(handle.fileDescriptor, nil, nil)
            if connection < 0 { return try handle.again(after: [.EAGAIN, .EINTR, .ECONNABORTED]) }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            let accepted = FileHandle(fileDescriptor: connection, closeOnDealloc: true)
            return [NSFileHandleNotificationFileHandleItem: accepted]
        }
    }

    /// Reads once: nothing at the end of the file; nil if there is nothing to read yet.
    private func readOnce() throws(POSIXError) -> Data? {
        if let bytes = readBytes(from: fileDescriptor) { return Data(bytes) }
        return try again(after: [.EAGAIN, .EINTR])
    }

    /// Returns nil if a system call has failed for now, with one of these errors; throws another error.
    private func again<Result>(after errors: [POSIXErrorCode]) throws(POSIXError) -> Result? {
        let error = POSIXError.last
        if !errors.contains(error.code) { throw error }
        return nil
    }

    /// Calls a closure on the loop's thread whenever the descriptor is readable, until it returns the user info of a
    /// notification, which is then posted. An error is posted, too.
    /// - Parameter afterError: returns the data that is posted with an error.
    private func whenReadable(
        in runLoop: SwiftRunLoop.RunLoop, _ modes: [SwiftRunLoop.RunLoop.Mode], _ name: Notification.Name,
        afterError: (@Sendable () -> Data)? = nil,
        _ find: @escaping @Sendable (FileHandle) throws(POSIXError) -> [AnyHashable: Any]?
    ) {
        @Sendable func isDone(_ failure: POSIXError?) -> Bool {
            var info: [AnyHashable: Any]?
            do throws(POSIXError) {
                if let failure { throw failure }
                info = try find(self)
            } catch {
                info = ["NSFileHandleError": Int(error.code.rawValue)]
                info?[NSFileHandleNotificationDataItem] = afterError?()
            }
            guard let info else { return false }
            NotificationCenter.default.post(name: name, object: self, userInfo: info.isEmpty ? nil : info)
            return true
        }
        do {
            let source = try SwiftRunLoop.RunLoop.Source(fileDescriptor: fileDescriptor) { source, _ in
                if isDone(nil) { source.invalidate() }
            }
            for mode in modes { runLoop.add(source, forMode: mode) }
        } catch {
            // with EPERM, no loop can wait for it because it is always readable, as a file is
            let failure = error.code == .EPERM ? nil : error
            runLoop.perform(inModes: modes) { while !isDone(failure) {} }
            runLoop.wakeUp()
        }
    }
}
#endif
