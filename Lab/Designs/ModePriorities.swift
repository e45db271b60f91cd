// ModePriorities.swift: work of two priorities: each has its own modes. (A6)

import SwiftRunLoop

/// The priority of work.
enum WorkPriority: CaseIterable, Sendable {
    /// Work in all common modes, also while the user scrolls.
    case urgent
    /// Work in the default mode: it waits until the user stops scrolling.
    case deferrable

    var modes: [RunLoop.Mode] {
        switch self {
        case .urgent: [.common]
        case .deferrable: [.default]
        }
    }
}

extension RunLoop {
    /// Queues work for the modes of its priority. You may call this on any thread. Work of one priority is done in the order in which it
    /// was queued. The loop itself has no priorities: in the default mode all work is done in that order.
    func perform(_ priority: WorkPriority, _ work: @escaping @Sendable () -> Void) {
        perform(inModes: priority.modes, block: work)
        wakeUp()
    }

    /// Adds a timer in the modes of its priority.
    func add(_ timer: Timer, _ priority: WorkPriority) {
        for mode in priority.modes { add(timer, forMode: mode) }
    }
}
