// JobQueue.swift: the jobs that wait for an executor, by priority.

#if os(Linux)
/// Waiting jobs: the highest priority first, and first in, first out within a priority.
///
/// A task that always has more work would keep all lower priorities waiting as long as it lives, and a job among these
/// may hold what that task waits for. So each level counts the jobs of higher priorities that run before its first job,
/// and its turn comes after 64 of them.
struct JobQueue {
    /// The jobs of one priority. Those before `first` have been taken.
    private struct Level {
        let priority: UInt8
        private var jobs: [UnownedJob] = []
        private var first = 0

        /// The number of jobs of higher priorities that have run while the first job here waits.
        var timesPassedOver = 0

        init(priority: UInt8) {
            self.priority = priority
        }

        var isEmpty: Bool { first == jobs.count }

        mutating func append(_ job: UnownedJob) {
            jobs.append(job)
        }

        mutating func takeFirst() -> UnownedJob {
            defer {
                first += 1
                timesPassedOver = 0
                compact()
            }
            return jobs[first]
        }

        /// Removes the places of taken jobs, so rarely that each waiting job is moved once on average.
        private mutating func compact() {
            guard first * 2 >= jobs.count, first >= 64 || first == jobs.count else { return }
            jobs.removeFirst(first)
            first = 0
        }
    }

    private static let patience = 64

    /// Highest priority first. There is one level for each priority seen so far, so only a few.
    private var levels: [Level] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

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
