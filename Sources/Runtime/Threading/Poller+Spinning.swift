import CacheModel
import LibC
package import ZeroMQ

extension Poller {
    /// As `wait(timeout:)`, but looks again and again for a while before it sleeps: a thread that
    /// is awake when an answer comes saves the system's wake-up, some 10 to 40 µs.
    ///
    /// Between two looks other threads run. libzmq's own have to move the bytes that are looked
    /// for, and may have no other core to do so.
    ///
    /// - Parameters:
    ///   - timeout: as in `wait(timeout:)`, the spin included.
    ///   - spin: how long not to sleep. Zero is `wait(timeout:)`.
    /// - Returns: how many items are ready.
    /// - Throws: ``ZeroMQError/isTerminated`` if the context is ending.
    /// - Complexity: a system call and a yield for each look, so up to `spin` of a core's time.
    package mutating func wait(
        timeout: Duration?, spinning spin: Duration
    ) throws(ZeroMQError) -> Int {
        let spin = timeout.map { min($0, spin) } ?? spin
        guard spin > .zero else { return try wait(timeout: timeout) }
        let end = MonotonicClock.now.advanced(by: spin)
        repeat {
            let readyCount = try wait(timeout: .zero)
            if readyCount > 0 { return readyCount }
            sched_yield()
        } while MonotonicClock.now < end
        return try wait(timeout: timeout.map { $0 - spin })
    }
}
