// JobQueue.swift: the jobs that wait for an executor, by priority.

#if os(Linux)
/// Waiting jobs: the highest priority first, and first in, first out within a priority.
///
/// A task that always has more work would keep all lower priorities waiting as long as it lives, and a job among these
/// may hold what that task waits for. So each level counts the jobs of higher priorities that run before its first job,
/// and its turn comes after 64 of them.
struct JobQueue {
    /// The jobs of one priority. Those that leave are in reverse order, so that each job is moved once.
    private struct Level {
        let priority: UInt8
        private var arriving: [UnownedJob] = [], leaving: [UnownedJob] = []

        /// The number of jobs of higher priorities that have run while the first job here waits.
        var timesPassedOver = 0

        init(priority: UInt8) { self.priority = priority }

        var isEmpty: Bool { arriving.isEmpty && leaving.isEmpty }

        mutating func append(_ job: UnownedJob) { arriving.append(job) }

        mutating func takeFirst() -> UnownedJob {
            if leaving.isEmpty { (leaving, arriving) = (arriving.reversed(), []) }
            timesPassedOver = 0
            return leaving.removeLast()
        }
    }

    private static let patience = 64

    /// Highest priority first. There is one level for each priority seen so far, so only a few.
    private var levels: [Level] = []
    private(set) var count = 0

    mutating func append(_ job: UnownedJob) {
        let priority = job.priority.rawValue
        let index = levels.firstIndex { $0.priority <= priority } ?? levels.endIndex
        if index == levels.endIndex || levels[index].priority != priority {
            levels.insert(Level(priority: priority), at: index)
        }
        levels[index].append(job)
        count += 1
    }

    mutating func takeNext() -> UnownedJob? {
        guard let highest = levels.firstIndex(where: { !$0.isEmpty }) else { return nil }
        let index = levels[highest...].firstIndex { !$0.isEmpty && $0.timesPassedOver >= Self.patience } ?? highest
        for lower in levels.indices[(index + 1)...] where !levels[lower].isEmpty { levels[lower].timesPassedOver += 1 }
        count -= 1
        return levels[index].takeFirst()
    }
}
#endif
