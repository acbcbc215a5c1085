import Dispatch
import Threading

/// Work for threads that sleep while there is none: handed out in order, each piece once.
///
/// Unbounded by itself: a tier has a bounded number of commands in flight.
final class WorkQueue<Work: Sendable>: Sendable {
    fileprivate struct Content: Sendable {
        /// What waits, behind what was handed out already.
        var waiting: [Work] = []
        var handedOut = 0
        /// Threads that wait at the gate and were not called yet.
        var sleepers = 0
        var isEnded = false
    }

    fileprivate enum Finding: Sendable {
        case work(Work)
        case nothing
        case end
    }

    private let content = Guarded(Content())
    private let gate = DispatchSemaphore(value: 0)

    /// Adds work, and calls as many sleeping threads as it takes.
    func add(_ work: [Work]) {
        let calls = content.withLock { content in
            precondition(!content.isEnded, "work is given before the end")
            content.waiting += work
            let calls = min(work.count, content.sleepers)
            content.sleepers -= calls
            return calls
        }
        for _ in 0..<calls { gate.signal() }
    }

    /// No more work will come. What waits is still handed out.
    func end() {
        let calls = content.withLock { content in
            content.isEnded = true
            defer { content.sleepers = 0 }
            return content.sleepers
        }
        for _ in 0..<calls { gate.signal() }
    }

    /// The next piece of work. Waits for it.
    ///
    /// - Returns: `nil` once there will be none.
    func take() -> Work? {
        while true {
            switch content.withLock({ $0.next() }) {
            case .work(let work): return work
            case .end: return nil
            case .nothing: gate.wait()
            }
        }
    }
}

extension WorkQueue.Content {
    /// - Returns: ``WorkQueue/Finding/nothing`` to a thread that is a sleeper from now on.
    fileprivate mutating func next() -> WorkQueue.Finding {
        guard handedOut < waiting.count else {
            if isEnded { return .end }
            sleepers += 1
            return .nothing
        }
        let work = waiting[handedOut]
        handedOut += 1
        if handedOut == waiting.count {
            waiting.removeAll(keepingCapacity: handedOut <= CacheFilesLimits.doneWorkMax)
            handedOut = 0
        } else if handedOut > CacheFilesLimits.doneWorkMax {
            waiting.removeFirst(handedOut)
            handedOut = 0
        }
        return .work(work)
    }
}
