import CPlatform
import CacheModel
import Dispatch

/// Returns freed memory to the system, by a ``FreedMemoryRule``, from a thread of its own: walking
/// through free memory takes milliseconds that no loop should wait.
///
/// For the whole process. A program that embeds Martlet's parts decides about its own allocator, so
/// programs start this, and no server does.
package final class FreedMemoryWatch: Sendable {
    /// What was given back at once.
    package struct Given: Hashable, Sendable {
        /// By which the process is smaller.
        package let bytes: Int
        /// How long that took. For parts of it threads that allocate waited.
        package let time: Duration
    }

    let thread: OwnedThread<Void>
    private let end: DispatchSemaphore

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - interval: between two looks.
    ///   - tell: called on that thread, after a return of a notable amount.
    /// - Returns: `nil` where the C library is not glibc of 2.33 or later, or where the environment
    ///   sets its allocator, and so decides what it keeps.
    /// - Throws: ``ThreadStartError``
    package static func start(
        every interval: Duration = ThreadingLimits.freedLookInterval,
        tell: @escaping @Sendable (Given) -> Void
    ) throws(ThreadStartError) -> FreedMemoryWatch? {
        guard martlet_memory_tells_freed(), ResidentMemory.bytes != nil else { return nil }
        return try FreedMemoryWatch(every: interval, tell: tell)
    }

    private init(
        every interval: Duration, tell: @escaping @Sendable (Given) -> Void
    ) throws(ThreadStartError) {
        let end = DispatchSemaphore(value: 0)
        self.end = end
        let pause = DispatchTimeInterval.nanoseconds(Int(clamping: interval.wholeNanoseconds))
        thread = try OwnedThread(name: "freed-memory") {
            var rule = FreedMemoryRule()
            while end.wait(timeout: .now() + pause) == .timedOut {
                if let given = Self.look(&rule) { tell(given) }
            }
        }
    }

    /// Has the thread end, after the look that is under way. Returns at once; any number of times.
    package func stop() { end.signal() }

    private static func look(_ rule: inout FreedMemoryRule) -> Given? {
        let start = MonotonicClock.now
        guard let before = ResidentMemory.bytes, rule.asks(resident: before, now: start)
        else { return nil }
        let isWorth = rule.gives(freed: Int(clamping: martlet_memory_freed()))
        if isWorth { martlet_memory_give_back() }
        let (end, after) = (MonotonicClock.now, ResidentMemory.bytes ?? before)
        let (time, bytes) = (end.elapsed(since: start), max(0, before - after))
        rule.note(cost: time, until: end)
        guard isWorth else { return nil }
        rule.note(givenAt: end, bytes: bytes, resident: after)
        return bytes < ThreadingLimits.freedLittleBytes ? nil : Given(bytes: bytes, time: time)
    }
}
