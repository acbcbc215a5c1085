#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Processor time, in seconds.
enum ProcessorClock {
    /// Of all threads of this process, including libzmq's I/O threads.
    static var ofProcess: Double? { read(CLOCK_PROCESS_CPUTIME_ID) }
    /// Of the calling thread.
    static var ofThread: Double? { read(CLOCK_THREAD_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Double? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
