import CPlatform
import CacheModel

/// The process's monotonic clock. It goes on while the machine is suspended.
enum MonotonicClock {
    static var now: Instant { Instant(nanoseconds: martlet_boottime_nanoseconds()) }
}
