import CacheClientCore
import Synchronization
import Threading

/// Runs tasks on the thread of a client's loop, between its sockets.
///
///     job of a task that runs here ─────────────▶ jobs     no lock, no bell
///     job from elsewhere ──▶ LoopInbox ──bell──▶ jobs ──▶ run, at most so many a turn
///     job after the end ──▶ the global executor
///
/// Sendable without the compiler's proof: only the loop's thread touches `jobs` and `next`, and
/// `home` identifies that thread.
final class LoopExecutor: TaskExecutor, @unchecked Sendable {
    private let inbox: LoopInbox
    private let home = Atomic<UInt>(0)
    private var jobs: [UnownedJob] = []
    private var next = 0

    init(_ inbox: LoopInbox) { self.inbox = inbox }

    var isHome: Bool { home.load(ordering: .relaxed) == ThreadMark.current.rawValue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isHome {
            jobs.append(job)
        } else if !inbox.post(job) {
            globalConcurrentExecutor.enqueue(job)
        }
    }

    // MARK: The loop's thread

    func begin() { home.store(ThreadMark.current.rawValue, ordering: .relaxed) }

    var hasJobs: Bool { next < jobs.count }

    func adopt(_ others: [UnownedJob]) { jobs += others }

    /// Runs the next job.
    ///
    /// - Returns: `false` if there was none.
    func runNext() -> Bool {
        guard next < jobs.count else { return false }
        let job = jobs[next]
        next += 1
        if next == jobs.count {
            jobs.empty()
            next = 0
        } else if next >= ClientLimits.itemsKept {
            // The queue may never be empty: completed jobs are removed, so that it does not grow
            // for ever.
            jobs = Array(jobs[next...])
            next = 0
        }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    /// Passes all remaining and later jobs to the global executor.
    func end(_ others: [UnownedJob]) {
        home.store(0, ordering: .relaxed)
        let left = jobs[next...] + others
        (jobs, next) = ([], 0)
        for job in left { globalConcurrentExecutor.enqueue(job) }
    }
}
