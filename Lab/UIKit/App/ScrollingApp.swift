// ScrollingApp.swift: the application of `RunLoopLab app`: a list that is dragged, and what goes on meanwhile. (T2, A3-A6)
//
//     what                                   shows
//     a clock in the default mode            T2: it stands still while the list is dragged
//     clocks in the common modes and by GCD  they go on
//     images that arrive from another thread A4: they wait for the default mode
//     a thread that changes its mode, too    A3
//     work of two priorities                 A6: the deferrable waits, the urgent does not
//     a key that stalls the main thread      A5: the stack of the stall

import Dispatch
import Glibc
import RunLoopDiagnostics
import SwiftRunLoop
import Synchronization

/// What the screen shows. The main thread writes it when the loop is about to sleep, as an application commits its layers.
struct AppState: Sendable {
    var screen = AppScreen(columns: 80, rows: 24)
    var rows: [String] = []
    var ticks = (default: 0, common: 0, gcd: 0)
    var images = (shown: 0, waiting: 0)
    var urgent = (asked: 0, done: 0), deferrable = (asked: 0, done: 0)
    var commits = 0
    /// The thread that changes its mode: written on that thread.
    var worker = (mode: RunLoop.Mode.default, ticks: 0)
    /// Written on the thread that watches for stalls.
    var stall: Stall?

    struct Stall: Sendable {
        var frames: [String]
        var duration: Double
        var isOver = false
    }
}

/// The application. Use it on the main thread, except for `state` and `handled`.
final class ScrollingApp: ScrollViewDelegate {
    let state = Mutex(AppState())
    /// How many events the application is done with.
    let handled = Counter()
    let isLaunched = Mutex(false)
    static let interval = 0.1, rowsOfTheList = 200, threshold = 0.2, stall = 0.6

    private let application: Application
    private let window = AppWindow()
    private var list: TableView!
    private var now = AppState()
    private let loaded = Loaded()
    private var images: [Int: ImageView] = [:]
    private let deferred: DeferredImages
    private var gcd: (any DispatchSourceTimer)?
    private var worker: ModeSwitchingThread!
    private var diagnostics: RunLoopDiagnostics!

    /// - Parameters:
    ///   - port: the socket that events come from.
    ///   - screen: the list takes the left half of it.
    init(port: Int32, screen: AppScreen) {
        let pictures = loaded
        deferred = DeferredImages { name in
            Thread.sleep(forTimeInterval: 0.15)
            pictures.rows.withLock { _ = $0.insert(Int(name)!) }
            return name
        }
        now.screen = screen
        application = Application(window: window, port: port)
        window.app = self
        application.firstResponder = window
        application.didHandle = { [handled] _ in handled.add() }
        application.didFinishLaunching = { [unowned self] in launch() }
    }

    /// Returns when the events have ended, or after `q`.
    func run() {
        application.run()
        gcd?.cancel()
        worker.stop()
        while !worker.isFinished { usleep(1000) } // its events use this object
        diagnostics.stop()
        LayerTransaction.current.end()
    }

    /// The rows whose images have been loaded.
    private final class Loaded: Sendable {
        let rows = Mutex<Set<Int>>([])
    }

    // MARK: - Launching

    private func launch() {
        LayerTransaction.current.begin { [unowned self] _, _ in commit() }
        let app = Unowned(self) // all callbacks are called on the main thread
        let inDefault = Timer(timeInterval: Self.interval, repeats: true) { _ in app.object.change { $0.ticks.default += 1 } }
        let inCommon = Timer(timeInterval: Self.interval, repeats: true) { _ in app.object.change { $0.ticks.common += 1 } }
        RunLoop.main.add(inDefault, .deferrable)
        RunLoop.main.add(inCommon, .urgent)
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        timer.setEventHandler { app.object.change { $0.ticks.gcd += 1 } }
        timer.resume()
        gcd = timer
        startWorker()
        startDiagnostics()
        list = TableView("the list", columns: 1...now.screen.listWidth, rows: now.screen.listRows, numberOfRows: Self.rowsOfTheList, rowHeight: 1) { row in
            TableViewCell(row: row, imageView: app.object.image(of: row))
        }
        list.delegate = self
        window.subviews = [list]
        isLaunched.withLock { $0 = true }
    }

    private func startWorker() {
        let app = Unowned(self) // `state` may be used on any thread
        worker = ModeSwitchingThread(tracksCommonly: true, interval: Self.interval) { event in
            app.object.state.withLock { state in
                switch event {
                case .changes(let mode): state.worker.mode = mode
                case .timerFires: state.worker.ticks += 1
                case .begins, .ends: break
                }
            }
        }
        worker.name = "worker"
        worker.start()
    }

    private func startDiagnostics() {
        let app = Unowned(self) // its mutex is used on the watching thread
        diagnostics = RunLoopDiagnostics(threshold: Self.threshold, log: false) { stall in
            let frames = stall.functions.map { $0.replacing("__CFRUNLOOP_IS_CALLING_OUT_TO_", with: "…") }
            app.object.state.withLock { $0.stall = AppState.Stall(frames: frames, duration: stall.duration) }
        } onEnd: { duration in
            app.object.state.withLock {
                $0.stall?.duration = duration
                $0.stall?.isOver = true
            }
        }
        diagnostics.start()
    }

    // MARK: - The main thread's part of the state

    /// Changes what is shown from the next commit on.
    private func change(_ body: (inout AppState) -> Void) {
        body(&now)
        window.setNeedsDisplay()
    }

    /// The loop is about to sleep.
    private func commit() {
        now.commits += 1
        let pictures = loaded.rows.withLock { $0 }
        now.rows = list.visibleCells.map { cell in
            let picture = cell.imageView.image != nil ? "▞▚▞▚" : pictures.contains(cell.row) ? Text("waits", "等待").description : "····"
            return " \(padded("\(cell.row + 1)", to: -4))  \(padded("\(Text("photo", "照片")) \(cell.row + 1)", to: 12)) \(picture)"
        }
        now.images = (images.values.count { $0.image != nil }, images.count { $0.value.image == nil && pictures.contains($0.key) })
        state.withLock { state in
            let (worker, stall) = (state.worker, state.stall)
            state = now
            (state.worker, state.stall) = (worker, stall)
        }
    }

    // MARK: - The list

    /// The image of a row. It begins to load when the row becomes visible for the first time.
    private func image(of row: Int) -> ImageView {
        if let known = images[row] { return known }
        let app = Unowned(self)
        let view = ImageView { _ in app.object.change { _ in } }
        images[row] = view
        deferred.load("\(row)", for: view)
        now.urgent.asked += 1
        now.deferrable.asked += 1
        RunLoop.main.perform(.urgent) { app.object.change { $0.urgent.done += 1 } }
        RunLoop.main.perform(.deferrable) { app.object.change { $0.deferrable.done += 1 } }
        return view
    }

    func scrollViewWillBeginDragging(_ scrollView: ScrollView) { worker.change(to: .tracking) }
    func scrollViewDidScroll(_ scrollView: ScrollView) { change { _ in } }
    func scrollViewDidEndDragging(_ scrollView: ScrollView, willDecelerate decelerate: Bool) {
        if !decelerate { worker.change(to: .default) }
    }
    func scrollViewDidEndDecelerating(_ scrollView: ScrollView) { worker.change(to: .default) }

    // MARK: - Keys, and the size of the screen

    fileprivate func screenDidResize(to screen: AppScreen) {
        change { $0.screen = screen }
        list.move(toColumns: 1...screen.listWidth, rows: screen.listRows)
    }

    fileprivate func keyPressed(_ key: String) {
        switch key {
        case "s":
            state.withLock { $0.stall = nil }
            decodeHugeImage(for: Self.stall)
        case "q": application.terminate()
        default: break
        }
    }
}

/// The function that stalls the main thread: it computes and does not return to the loop.
@inline(never)
private func decodeHugeImage(for time: Double) {
    let end = now() + time
    var pixel = 1.0
    while now() < end { pixel = (pixel * 1.000001).truncatingRemainder(dividingBy: 255) }
    withExtendedLifetime(pixel) {}
}

/// The whole screen. It gets the keys.
private final class AppWindow: View {
    weak var app: ScrollingApp?

    init() {
        super.init("the window", columns: 1...InputEvent.screenLimit, rows: 1...InputEvent.screenLimit)
    }

    override func draw() { layer.contents = [] } // to be committed
    override func keyPressed(_ key: String) { app?.keyPressed(key) }
    override func screenDidResize(columns: Int, rows: Int) { app?.screenDidResize(to: AppScreen(columns: columns, rows: rows)) }
}
