/// A thread's share of a phase, and the keys that it owns.
package struct ThreadShare: Hashable, Sendable {
    /// From 0.
    package let thread: Int
    package let threadCount: Int
    /// The keys that only this thread, of all threads of all machines, changes.
    package let keys: KeyPart

    /// - Parameters:
    ///   - thread: 0 ..< `threadCount`.
    ///   - worker: the part of this machine, of those that test together.
    package init(thread: Int, of threadCount: Int, worker: KeyPart = .all) {
        self.init(thread: thread, of: threadCount, keys: worker.part(thread, of: threadCount))
    }

    /// - Parameter keys: the keys that it changes, if threads do not divide the keys evenly.
    package init(thread: Int, of threadCount: Int, keys: KeyPart) {
        self.thread = thread
        self.threadCount = threadCount
        self.keys = keys
    }

    /// Its share of `count` things: with a remainder, the first threads take one more.
    package func part(of count: Int) -> Int {
        count / threadCount + (thread < count % threadCount ? 1 : 0)
    }
}
