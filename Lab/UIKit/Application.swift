// Application.swift: a small application object. Its main loop has the same items as that of an iOS application. (A11)
//
//     here                       on iOS
//     main                       main
//     Application.run            UIApplicationMain
//     runMainLoop                GSEventRunModal
//     eventSource1, receive      a Source1 on a mach port; __IOHIDEventSystemClientQueueCallback
//     eventSource0, handle…      a Source0; __handleEventQueue, _UIApplicationHandleEventQueue
//     updateGestures             an observer of BeforeWaiting; _UIGestureRecognizerUpdateObserver
//     LayerTransaction           an observer of BeforeWaiting and Exit; CA::Transaction::observer_callback
//     AutoreleasePool.install    two observers; _wrapRunLoopWithAutoreleasePoolHandler

import CRunLoop
import Glibc
import SwiftRunLoop

extension RunLoop.Mode {
    /// The mode in which an iOS application starts, and to which it never returns (UIInitializationRunLoopMode).
    static let initialization = RunLoop.Mode("UIInitializationRunLoopMode")
    /// The mode in which iOS receives the system's events, inside the graphics services (GSEventReceiveRunLoopMode).
    static let eventReceive = RunLoop.Mode("GSEventReceiveRunLoopMode")
}

/// The application: receives the system's events and passes them to views. Use it only on the main thread.
final class Application {
    /// The application of this process (sharedApplication).
    nonisolated(unsafe) private(set) static weak var shared: Application? // on the main thread alone

    let window: View
    /// Called when the application is ready, before it gets the first event (application:didFinishLaunchingWithOptions:).
    var didFinishLaunching: () -> Void = {}
    /// Called when an event has been taken from the port, and before the queue of events is handled. For experiments.
    var willReceive: (InputEvent) -> Void = { _ in }, willHandle: (Int) -> Void = { _ in }
    /// Called when an event has been handled.
    var didHandle: (InputEvent) -> Void = { _ in }

    private let loop = RunLoop.main
    private let port: Int32
    private var eventSource1: RunLoop.Source!, eventSource0: RunLoop.Source!
    private var gestureObserver: RunLoop.Observer!
    private var queue: [InputEvent] = []
    private var touch: Touch?
    private var modes = [RunLoop.Mode.initialization], isTerminated = false

    /// - Parameter port: the socket that the system's events come from. Each message is an event in words. The application terminates when
    ///   the other end is closed.
    init(window: View, port: Int32) {
        (self.window, self.port) = (window, port)
        Application.shared = self
    }

    // MARK: - Running

    /// Sets up the main loop, launches, and handles events until `terminate()`.
    @inline(never)
    func run() {
        fillMainLoop()
        nonisolated(unsafe) let application = self // it stays on this thread
        loop.perform(inModes: [.initialization]) { @Sendable in
            application.didFinishLaunching()
            application.changeMode(to: [.default])
        }
        runMainLoop()
        emptyMainLoop()
        withExtendedLifetime(self) {} // not a tail call
    }

    /// Ends `run()` after the current pass.
    func terminate() {
        isTerminated = true
        loop.stop()
    }

    /// Makes the main loop run in another mode until `popMode()`: the current run ends, and another one begins.
    func pushMode(_ mode: RunLoop.Mode) {
        changeMode(to: modes + [mode])
    }

    /// Goes back to the mode before.
    func popMode() {
        changeMode(to: Array(modes.dropLast()))
    }

    private func changeMode(to new: [RunLoop.Mode]) {
        modes = new
        loop.stop()
    }

    /// Calls the C function, as GSEventRunModal does, so that the stack of a touch has the frames of an iOS application. run(mode:before:) would
    /// return after each source.
    @inline(never)
    private func runMainLoop() {
        while !isTerminated, let mode = modes.last {
            let name = CFStringCreateWithCString(nil, mode.rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
            CFRunLoopRunInMode(name, 1e10, false)
            CFRelease(name)
        }
    }

    // MARK: - What is in the main loop

    private func fillMainLoop() {
        loop.addCommonMode(.tracking)
        AutoreleasePool.install(in: loop)
        let application = Unowned(self) // the callbacks are called on the main thread
        eventSource1 = try! RunLoop.Source(fileDescriptor: port) { _, _ in application.object.receiveEvent() }
        eventSource0 = RunLoop.Source(order: -1) { application.object.handleEventQueue() }
        for mode in [RunLoop.Mode.common, .eventReceive] { loop.add(eventSource1, forMode: mode) }
        for mode in [RunLoop.Mode.common, .initialization] { loop.add(eventSource0, forMode: mode) }
        gestureObserver = RunLoop.Observer(activities: .beforeWaiting) { _, _ in application.object.updateGestures(of: application.object.window) }
        loop.add(gestureObserver, forMode: .common)
    }

    private func emptyMainLoop() {
        gestureObserver.invalidate()
        eventSource0.invalidate()
        eventSource1.invalidate()
    }

    // MARK: - Events

    /// A message has arrived. Queues the event and signals the Source0 that handles events. No wake-up is needed: the loop is awake.
    @inline(never)
    private func receiveEvent() {
        var message = [UInt8](repeating: 0, count: 64)
        let count = recv(port, &message, message.count, Int32(MSG_DONTWAIT))
        guard count > 0, let event = InputEvent(String(decoding: message[..<count], as: UTF8.self)) else {
            return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR) ? () : terminate()
        }
        willReceive(event)
        queue.append(event)
        eventSource0.signal()
    }

    @inline(never)
    private func handleEventQueue() {
        let events = queue
        queue = []
        willHandle(events.count)
        for event in events {
            send(event)
            didHandle(event)
        }
    }

    /// Sends a touch to the view that was hit and to its gestures (sendEvent:).
    @inline(never)
    private func send(_ event: InputEvent) {
        let (column, row) = (event.column, event.row)
        if event.phase == .down { touch = window.hitTest(column: column, row: row).map { Touch(on: $0, column: column, row: row) } }
        touch?.place = (column, row)
        if let touch { send(touch, event.phase) }
        if event.phase == .up { touch = nil }
        withExtendedLifetime(self) {} // not a tail call
    }

    private func send(_ touch: Touch, _ phase: TouchPhase) {
        let hasRecognised = touch.view.gestures.filter { $0.follow(touch, phase) }.contains { $0.kind == .pan }
        if touch.isCancelled { return }
        if hasRecognised {
            touch.isCancelled = true
            return touch.view.touchesCancelled(touch)
        }
        switch phase {
        case .down: touch.view.touchesBegan(touch)
        case .move: touch.view.touchesMoved(touch)
        case .up: touch.view.touchesEnded(touch)
        }
        withExtendedLifetime(touch) {} // not a tail call
    }

    private func updateGestures(of view: View) {
        view.gestures.forEach { $0.update() }
        view.subviews.forEach(updateGestures)
    }
}
