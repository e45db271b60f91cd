// DisplayLink.swift: a call for each frame. On a Mac the display sends a message to a port when it has shown a frame. Here a timer keeps the
// rhythm, by the monotonic clock.
//
// Claims in ANNOTATIONS.md: (T8)

import SwiftRunLoop

/// Calls a closure, or a method of a target, once for each frame of a display (CADisplayLink).
///
///     let link = DisplayLink { link in draw(for: link.targetTimestamp) }
///     link.add(to: .main, forMode: .common)
///
/// Frames come in a fixed rhythm that begins when the link is made. If the loop is too busy for a frame, the frame is dropped: the next call
/// is for a later frame, and `droppedFrames` counts the dropped ones.
///
/// A loop retains the link, and the link retains its closure or target, until `invalidate()`, until the link is removed from its last mode,
/// or until the loop's thread ends. Use a link on the thread of its loop only. All times are seconds of the monotonic clock
/// (CLOCK_MONOTONIC), the counterpart of CACurrentMediaTime on a Mac.
final class DisplayLink: CustomStringConvertible {
    /// The number of frames a second that the display shows.
    let maximumFramesPerSecond: Int

    /// The number of frames a second that you want; 0, the default, means all (preferredFramesPerSecond).
    ///
    /// The link uses the nearest rate that divides the display's rate: 60, 30, 20, 15, 12, 10 and so on for a display of 60. A negative
    /// number counts as 0. A change takes effect after the next call.
    var preferredFramesPerSecond = 0

    /// Whether the calls are suspended (paused).
    ///
    /// A paused link stays in its loop and keeps the loop alive. Frames that pass meanwhile do not count as dropped.
    var isPaused = false {
        didSet {
            if isPaused == oldValue { return }
            schedule(after: nil)
        }
    }

    /// The start of the frame of the most recent call; 0 before the first call (timestamp).
    ///
    /// The call itself comes a little later.
    private(set) var timestamp: TimeInterval = 0

    /// The start of the next wanted frame, for which you should draw now; 0 before the first call (targetTimestamp).
    private(set) var targetTimestamp: TimeInterval = 0

    /// The seconds between two frames of the display, independent of the preferred rate; 0 before the first call (duration).
    private(set) var duration: TimeInterval = 0

    /// The number of calls that were not made because the loop was busy.
    ///
    /// Frames that pass while the link is paused do not count, nor do those that the preferred rate skips.
    private(set) var droppedFrames = 0

    /// Whether the link can still call its closure.
    ///
    /// False after `invalidate()`.
    var isValid: Bool { call != nil }

    private var call: ((DisplayLink) -> Void)?
    /// The start of frame 0.
    private let origin: TimeInterval
    /// The frame for which the timer is set.
    private var nextFrame = 0
    /// The loop that the link is in.
    private weak var runLoop: RunLoop?
    private var modes: Set<RunLoop.Mode> = []
    /// The loop retains the timer, and the timer retains the link.
    private weak var timer: Timer?

    // MARK: - Making a link

    /// Makes a link without adding it to a loop.
    /// - Parameters:
    ///   - maximumFramesPerSecond: the number of frames a second that the display shows. A number below 1 traps.
    ///   - handler: called with the link, on the loop's thread. Its captures are sent to that thread.
    init(maximumFramesPerSecond: Int = 60, handler: sending @escaping (DisplayLink) -> Void) {
        precondition(maximumFramesPerSecond > 0, "maximumFramesPerSecond must be at least 1")
        self.maximumFramesPerSecond = maximumFramesPerSecond
        origin = now()
        call = handler
    }

    /// Makes a link that calls a method of an object (displayLinkWithTarget:selector:).
    ///
    ///     let link = DisplayLink(target: view, action: View.step)
    ///
    /// - Parameters:
    ///   - maximumFramesPerSecond: the number of frames a second that the display shows. A number below 1 traps.
    ///   - target: the object, retained until the link is invalidated. It is sent to the loop's thread. If the target retains the link,
    ///     too, invalidate the link to break the cycle.
    ///   - action: a method of the target's class that takes the link.
    convenience init<Target: AnyObject>(maximumFramesPerSecond: Int = 60, target: sending Target,
                                               action: sending @escaping (Target) -> (DisplayLink) -> Void) {
        self.init(maximumFramesPerSecond: maximumFramesPerSecond) { link in action(target)(link) }
    }

    // MARK: - In a loop

    /// Adds the link to a mode of a loop; `.common` stands for all common modes (addToRunLoop:forMode:).
    ///
    /// Nothing happens if the link is invalid, is in the mode already, or is in another loop.
    func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        if timer == nil { modes = [] } // it is in none, or the thread of its loop has ended
        guard isValid, modes.isEmpty || self.runLoop === runLoop, modes.insert(mode).inserted else { return }
        self.runLoop = runLoop
        if let timer { return runLoop.add(timer, forMode: mode) }
        makeTimer()
    }

    /// Removes the link from a mode (removeFromRunLoop:forMode:).
    ///
    /// Nothing happens if it is not in the mode.
    func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        guard self.runLoop === runLoop, modes.remove(mode) != nil else { return }
        end()
        if !modes.isEmpty { makeTimer() }
    }

    /// Removes the link from its loop permanently, and releases its closure or target (invalidate).
    ///
    /// A closure that is being called is released when it returns.
    func invalidate() {
        end()
        modes = []
        call = nil
    }

    /// The link's rate, its state and the number of dropped frames.
    var description: String {
        let state = !isValid ? "invalid" : isPaused ? "paused" : modes.isEmpty ? "in no loop" : "running"
        return "<DisplayLink \(maximumFramesPerSecond / divisor) of \(maximumFramesPerSecond) frames a second, \(state), \(droppedFrames) dropped>"
    }

    // MARK: - Frames

    /// For the rate nearest to the preferred one: a divisor of 3 means that every third frame is wanted.
    private var divisor: Int {
        guard preferredFramesPerSecond > 0, preferredFramesPerSecond < maximumFramesPerSecond else { return 1 }
        let all = Double(maximumFramesPerSecond), wanted = Double(preferredFramesPerSecond)
        let more = max(1, (all / wanted).rounded(.down)), fewer = more + 1
        return Int(all / more - wanted <= wanted - all / fewer ? more : fewer)
    }

    private var framePeriod: TimeInterval { 1 / TimeInterval(maximumFramesPerSecond) }

    private func start(ofFrame frame: Int) -> TimeInterval { origin + TimeInterval(frame) * framePeriod }

    /// The frame that the display is showing.
    private var currentFrame: Int { Int((now() - origin) / framePeriod) }

    private func end() {
        timer?.invalidate()
        timer = nil
    }

    /// Each call of the timer sets its next date, so the interval has no meaning; but a timer that does not repeat would become invalid.
    private func makeTimer() {
        nonisolated(unsafe) let link = self // called on the thread of the link's loop
        let made = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { _ in link.fire() }
        timer = made
        for mode in modes { runLoop?.add(made, forMode: mode) }
        schedule(after: nil)
    }

    /// Sets the timer for the next wanted frame. Frames are on the monotonic clock, and the timer's date is on the system's clock. The
    /// monotonic clock is read first, so that a delay between the two readings makes the call late, never early.
    private func schedule(after frame: Int?) {
        guard let timer else { return }
        guard !isPaused else { return timer.fireDate = .distantFuture }
        nextFrame = frame.map { $0 + divisor } ?? currentFrame + 1
        let delay = start(ofFrame: nextFrame) - now()
        timer.fireDate = Date(timeIntervalSinceNow: max(0, delay))
    }

    /// Called by the timer. It sets the timer before it calls the handler, so that the handler's changes to the link take effect last.
    private func fire() {
        guard let call, !isPaused else { return }
        let divisor = divisor
        let late = max(0, currentFrame - nextFrame) // at the end of a frame, the division may round down to that frame
        let frame = nextFrame + late
        droppedFrames += late / divisor
        timestamp = start(ofFrame: frame)
        targetTimestamp = start(ofFrame: frame + divisor)
        duration = framePeriod
        schedule(after: frame)
        call(self)
    }
}
