// DisplayLink.swift: a call for each frame. On a Mac the display tells when it has shown one, through a port; Linux tells no program without
// a window system, so here a timer keeps the rhythm, on the clock that never jumps. (T8)

internal import CRunLoop
public import FoundationEssentials
internal import Glibc

/// Calls a closure, or a method of a target, once a frame (CADisplayLink). (T8)
///
///     let link = DisplayLink { link in draw(for: link.targetTimestamp) }
///     link.add(to: .main, forMode: .common)
///
/// Frames come in a fixed rhythm, counted from when the link was made. A frame for which the loop had no time is dropped, never made up for:
/// the next call is for a later frame, and `droppedFrames` says how many were left out.
///
/// A loop holds the link, and the link its closure or target, until `invalidate()`, until the link is taken out of its last mode, or until the
/// loop's thread ends. A link belongs to the thread of its loop. All times are seconds of the monotonic clock (CLOCK_MONOTONIC), as
/// CACurrentMediaTime gives them on a Mac.
public final class DisplayLink: IdentityHashable, CustomStringConvertible {
    /// The frames a second that the display shows.
    public let maximumFramesPerSecond: Int

    /// How many frames a second are wanted; 0, as at first, means all of them (preferredFramesPerSecond). The rate is the nearest that divides
    /// the display's: of 60 these are 60, 30, 20, 15, 12, 10 and so on. Negative counts as 0. Takes effect after the next call.
    public var preferredFramesPerSecond = 0

    /// Whether the calls are suspended (paused). A paused link stays in its loop, and keeps it alive. Frames that pass meanwhile do not count
    /// as dropped.
    public var isPaused = false {
        didSet { if isPaused != oldValue { schedule(after: nil) } }
    }

    /// When the frame began for which the closure was last called; 0 before the first call (timestamp). The call itself comes a little later.
    public private(set) var timestamp: TimeInterval = 0

    /// When the next frame that is wanted begins, which is what should be drawn now; 0 before the first call (targetTimestamp).
    public private(set) var targetTimestamp: TimeInterval = 0

    /// From one frame of the display to the next, whatever rate is preferred; 0 before the first call (duration).
    public private(set) var duration: TimeInterval = 0

    /// How many calls have been left out because the loop was busy; frames that are not wanted, or pass while paused, are not counted.
    public private(set) var droppedFrames = 0

    /// False after `invalidate()`.
    public var isValid: Bool { call != nil }

    private var call: ((DisplayLink) -> Void)?
    /// When frame 0 began.
    private let origin: TimeInterval
    /// The frame for which the timer is set.
    private var nextFrame = 0
    /// Where the link is.
    private weak var runLoop: RunLoop?
    private var modes: Set<RunLoop.Mode> = []
    /// Held by the loop, and holds the link.
    private weak var timer: Timer?

    // MARK: - Making a link

    /// Makes a link that no loop has yet.
    /// - Parameters:
    ///   - maximumFramesPerSecond: the frames a second that the display shows. Less than 1 stops the program.
    ///   - handler: called with the link, on the thread of the loop. The maker gives away what it captures, since the loop may be another
    ///     thread's.
    public init(maximumFramesPerSecond: Int = 60, handler: sending @escaping (DisplayLink) -> Void) {
        precondition(maximumFramesPerSecond > 0, "a display shows at least one frame a second")
        self.maximumFramesPerSecond = maximumFramesPerSecond
        origin = monotonicTime()
        call = handler
    }

    /// Makes a link that calls a method of an object (displayLinkWithTarget:selector:).
    ///
    ///     let link = DisplayLink(target: view, action: View.step)
    ///
    /// - Parameters:
    ///   - maximumFramesPerSecond: the frames a second that the display shows. Less than 1 stops the program.
    ///   - target: given away unless it is Sendable, and held until the link is invalidated. If the target holds the link in turn, invalidate the link in time. (T6)
    ///   - action: a method of the target's class that takes the link.
    public convenience init<Target: AnyObject>(maximumFramesPerSecond: Int = 60, target: sending Target,
                                               action: sending @escaping (Target) -> (DisplayLink) -> Void) {
        nonisolated(unsafe) let call = { (link: DisplayLink) in action(target)(link) } // both were sent, and are used by nobody else
        self.init(maximumFramesPerSecond: maximumFramesPerSecond) { link in call(link) }
    }

    // MARK: - In a loop

    /// Adds the link to a mode of a loop, or with `.common` to all common modes (addToRunLoop:forMode:). Adding it twice or after
    /// `invalidate()` does nothing, and neither does adding it to a second loop.
    public func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        if timer == nil { modes = [] } // it is in none, or the thread of its loop has ended
        guard isValid, modes.isEmpty || self.runLoop === runLoop, modes.insert(mode).inserted else { return }
        self.runLoop = runLoop
        if let timer { return runLoop.add(timer, forMode: mode) }
        makeTimer()
    }

    /// Takes the link out of a mode (removeFromRunLoop:forMode:). If it is not there, nothing happens.
    public func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        guard self.runLoop === runLoop, modes.remove(mode) != nil else { return }
        timer?.invalidate()
        if !modes.isEmpty { makeTimer() }
    }

    /// Takes the link out of its loop, for good, and lets go of its closure or target; within the closure, when it has returned (invalidate).
    public func invalidate() {
        timer?.invalidate()
        modes = []
        call = nil
    }

    /// The link's rate, and whether it is paused or invalid.
    public var description: String {
        let state = !isValid ? "invalid" : isPaused ? "paused" : modes.isEmpty ? "in no loop" : "running"
        return "<DisplayLink \(maximumFramesPerSecond / divisor) of \(maximumFramesPerSecond) frames a second, \(state), \(droppedFrames) dropped>"
    }

    // MARK: - Frames

    /// Each of how many frames is wanted: the rate nearest to the preferred one.
    private var divisor: Int {
        guard preferredFramesPerSecond > 0, preferredFramesPerSecond < maximumFramesPerSecond else { return 1 }
        let all = Double(maximumFramesPerSecond), wanted = Double(preferredFramesPerSecond)
        let more = max(1, (all / wanted).rounded(.down)), fewer = more + 1
        return Int(all / more - wanted <= wanted - all / fewer ? more : fewer)
    }

    private var framePeriod: TimeInterval { 1 / TimeInterval(maximumFramesPerSecond) }

    private func start(ofFrame frame: Int) -> TimeInterval { origin + TimeInterval(frame) * framePeriod }

    /// The frame that is being shown.
    private var currentFrame: Int { Int((monotonicTime() - origin) / framePeriod) }

    /// The timer's own interval means nothing: each call sets the next date. A timer that repeats stays valid.
    private func makeTimer() {
        let link = Firing(link: self)
        let made = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { _ in link.link.fire() }
        timer = made
        for mode in modes { runLoop?.add(made, forMode: mode) }
        schedule(after: nil)
    }

    /// Sets the timer for the next frame that is wanted. The frame's time is on another clock than the timer's date; the frame's is read
    /// first, so that whatever comes between makes the call late, never early.
    private func schedule(after frame: Int?) {
        guard let timer else { return }
        guard !isPaused else { return timer.fireDate = .distantFuture }
        nextFrame = frame.map { $0 + divisor } ?? currentFrame + 1
        let delay = start(ofFrame: nextFrame) - monotonicTime()
        timer.fireDate = Date(timeIntervalSinceNow: max(0, delay))
    }

    /// The timer's call. The timer is set before the handler is called: what the handler sets itself stands.
    private func fire() {
        guard let call, !isPaused else { return }
        let divisor = divisor
        let late = max(0, currentFrame - nextFrame) // the division may find the frame before, at its very end
        let frame = nextFrame + late
        droppedFrames += late / divisor
        timestamp = start(ofFrame: frame)
        targetTimestamp = start(ofFrame: frame + divisor)
        duration = framePeriod
        schedule(after: frame)
        call(self)
    }
}

/// A link on its way into a timer's closure. It is called on the thread of the loop to which the link was added.
private struct Firing: @unchecked Sendable {
    var link: DisplayLink
}

/// Seconds of the clock that never jumps.
private func monotonicTime() -> TimeInterval {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
}
