import CPlatform
package import CacheModel

/// The machine's clock: it goes on while the machine sleeps, so that a lease never outlives a
/// suspended machine.
package enum MonotonicClock {
    package static var now: Instant { Instant(nanoseconds: martlet_boottime_nanoseconds()) }
}
