// GLib's main loop runs the main thread of a Swift program, and serves RunLoop.main when that has something to do. So one thread has timers of
// both. In this directory, `swift run` builds the program and runs it. It needs libglib2.0-dev.

import CGLib
import SwiftRunLoop

nonisolated(unsafe) let host = g_main_loop_new(nil, 0)! // used on the main thread only

/// GLib calls this function when the descriptor of our loop is readable.
func serve(_ descriptor: Int32, _ condition: GIOCondition, _ info: gpointer?) -> gboolean {
    RunLoop.main.serve(forMode: .default)
    return 1 // G_SOURCE_CONTINUE
}

func hostTimerFires(_ info: gpointer?) -> gboolean {
    print("timer of GLib")
    g_main_loop_quit(host)
    return 0 // G_SOURCE_REMOVE
}

let source = RunLoop.Source {
    print("Source0 of our loop")
    g_timeout_add(100, hostTimerFires, nil)
}
RunLoop.main.add(source, forMode: .default)
RunLoop.main.add(Timer(timeInterval: 0.1, repeats: false) { _ in
    print("timer of our loop")
    Thread.detachNewThread {
        source.signal()
        RunLoop.main.wakeUp() // makes the descriptor readable
    }
}, forMode: .default)

let tag = g_unix_fd_add(RunLoop.main.descriptor(forMode: .default), G_IO_IN, serve, nil)
g_main_loop_run(host)
g_source_remove(tag)
g_main_loop_unref(host)

// prints: timer of our loop
// prints: Source0 of our loop
// prints: timer of GLib
