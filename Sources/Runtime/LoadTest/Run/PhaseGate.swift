import Threading

/// A barrier of the threads of a run before a phase; the last thread opens it.
final class PhaseGate: Sendable {
    private let threadCount: Int
    private let arrived = Guarded(0)
    private let opened = Promise<UInt64>()

    init(threadCount: Int) { self.threadCount = threadCount }

    /// Waits until every thread has arrived.
    ///
    /// - Parameter open: called by the last thread; returns when the phase begins.
    /// - Returns: when the phase begins, the same for all.
    func arrive(_ open: () -> UInt64) -> UInt64 {
        let isLast = arrived.withLock { count in
            count += 1
            return count == threadCount
        }
        if isLast { opened.fulfil(open()) }
        return opened.wait()
    }
}
