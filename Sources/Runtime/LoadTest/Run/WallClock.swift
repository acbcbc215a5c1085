import CacheModel
import LibC
import Threading

/// Wall time, which machines share, in relation to the monotonic clock of the latencies.
package enum WallClock {
    /// Milliseconds since 1970.
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// The monotonic time of a wall time; the present if it is in the past.
    static func moment(of milliseconds: UInt64) -> UInt64 {
        let wall = now
        let rest = milliseconds > wall ? (milliseconds - wall) * 1_000_000 : 0
        return MonotonicClock.now.nanoseconds + rest
    }

    /// The wall time of a monotonic time, past or future.
    static func milliseconds(at moment: UInt64) -> UInt64 {
        let monotonic = MonotonicClock.now.nanoseconds
        let wall = now
        return moment >= monotonic
            ? wall + (moment - monotonic) / 1_000_000
            : wall - min(wall, (monotonic - moment) / 1_000_000)
    }

    /// Sleeps until a monotonic time, or until `stop` is raised.
    static func sleep(until moment: UInt64, _ stop: StopSignal) {
        while !stop.isRaised {
            let now = MonotonicClock.now.nanoseconds
            guard now < moment else { return }
            usleep(UInt32(clamping: min(moment - now, 50_000_000) / 1_000))
        }
    }
}

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
