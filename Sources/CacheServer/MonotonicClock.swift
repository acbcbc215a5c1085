import CPlatform
import CacheModel

/// The node's clock: it goes on while the machine sleeps, so that a lease never outlives a
/// suspended machine.
enum MonotonicClock {
    static var now: Instant { Instant(nanoseconds: martlet_boottime_nanoseconds()) }
}
