// ModePriorities.swift: work of two priorities, told apart by the modes in which a run loop may do it. (A6)

import SwiftRunLoop

/// How much work can wait.
enum WorkPriority: CaseIterable, Sendable {
    /// It is done in all common modes, also while the user scrolls.
    case urgent
    /// It is done in the default mode: it waits until the user has let go.
    case deferrable

    var modes: [RunLoop.Mode] {
        switch self {
        case .urgent: [.common]
        case .deferrable: [.default]
        }
    }
}

extension RunLoop {
    /// Has the loop do some work when its priority allows. May be called on any thread. Work of one priority is done in the
    /// order in which it came. The loop itself knows no priorities: in the default mode, too, the order is that of coming.
    func perform(_ priority: WorkPriority, _ work: @escaping @Sendable () -> Void) {
        perform(inModes: priority.modes, block: work)
        wakeUp()
    }

    /// Adds a timer that ticks when its priority allows.
    func add(_ timer: Timer, _ priority: WorkPriority) {
        for mode in priority.modes { add(timer, forMode: mode) }
    }
}
