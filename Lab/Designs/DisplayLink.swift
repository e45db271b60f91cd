// DisplayLink.swift: a call for each frame. On a Mac the display sends a message to a port when it has shown a frame. Here a timer keeps the
// rhythm, by the monotonic clock. (T8)

import SwiftRunLoop

/// Calls a closure once for each frame of a display (CADisplayLink).
///
/// Frames come in a fixed rhythm that begins when the link is made. If the loop is too busy for a frame, the frame is dropped: the next call
/// is for a later frame. The loop retains the link until `invalidate()`, or until its thread ends. Use a link on the thread of its loop only.
final class DisplayLink {
    /// The start of the frame of the most recent call, in seconds of the monotonic clock (timestamp). The call itself comes a little later.
    private(set) var timestamp: TimeInterval = 0
    /// The number of frames without a call, because the loop was busy.
    private(set) var droppedFrames = 0
    /// False after `invalidate()`.
    var isValid: Bool { call != nil }

    private var call: ((DisplayLink) -> Void)?
    private let framePeriod: TimeInterval
    /// The start of frame 0.
    private let origin = now()
    /// The frame for which the timer is set.
    private var nextFrame = 0
    /// The loop retains the timer, and the timer retains the link.
    private weak var timer: Timer?

    /// Makes a link without adding it to a loop.
    /// - Parameters:
    ///   - maximumFramesPerSecond: the number of frames a second that the display shows.
    ///   - handler: called with the link, on the loop's thread. Its captures are sent to that thread.
    init(maximumFramesPerSecond: Int = 60, handler: sending @escaping (DisplayLink) -> Void) {
        framePeriod = 1 / TimeInterval(maximumFramesPerSecond)
        call = handler
    }

    /// Adds the link to a mode of a loop, or to another mode of its loop (addToRunLoop:forMode:).
    func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        guard isValid else { return }
        if let timer { return runLoop.add(timer, forMode: mode) }
        nonisolated(unsafe) let link = self // called on the thread of the link's loop
        // Each call of the timer sets its next date, so the interval has no meaning; but a timer that does not repeat would become invalid.
        let made = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { _ in link.fire() }
        timer = made
        setTimer(to: currentFrame + 1)
        runLoop.add(made, forMode: mode)
    }

    /// Removes the link from its loop permanently, and releases its closure (invalidate).
    func invalidate() {
        timer?.invalidate()
        timer = nil
        call = nil
    }

    // MARK: - Frames

    private func start(ofFrame frame: Int) -> TimeInterval { origin + TimeInterval(frame) * framePeriod }

    /// The frame that the display is showing.
    private var currentFrame: Int { Int((now() - origin) / framePeriod) }

    /// Frames are on the monotonic clock, and the timer's date is on the system's clock. The monotonic clock is read first, so that a delay
    /// between the two readings makes the call late, never early.
    private func setTimer(to frame: Int) {
        nextFrame = frame
        let delay = start(ofFrame: frame) - now()
        timer?.fireDate = Date(timeIntervalSinceNow: max(0, delay))
    }

    /// Called by the timer. It sets the timer before it calls the handler, which may invalidate the link.
    private func fire() {
        guard let call else { return }
        let late = max(0, currentFrame - nextFrame) // at the end of a frame, the division may round down to that frame
        let frame = nextFrame + late
        droppedFrames += late
        timestamp = start(ofFrame: frame)
        setTimer(to: frame + 1)
        call(self)
    }
}
