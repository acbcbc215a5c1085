/// What one thread of a process does of a phase, and which keys are its own.
package struct ThreadShare: Hashable, Sendable {
    /// From 0.
    package let thread: Int
    package let threadCount: Int
    /// The keys that this thread alone, of all threads of all machines, changes.
    package let keys: KeyPart

    /// - Parameters:
    ///   - thread: 0 ..< `threadCount`.
    ///   - worker: the part of this machine, of those that test together.
    package init(thread: Int, of threadCount: Int, worker: KeyPart = .all) {
        self.init(thread: thread, of: threadCount, keys: worker.part(thread, of: threadCount))
    }

    /// - Parameter keys: what it changes, where threads do not divide the keys evenly.
    package init(thread: Int, of threadCount: Int, keys: KeyPart) {
        self.thread = thread
        self.threadCount = threadCount
        self.keys = keys
    }

    /// Its part of `count` things: the first threads take one more where it does not come out even.
    package func part(of count: Int) -> Int {
        count / threadCount + (thread < count % threadCount ? 1 : 0)
    }
}
