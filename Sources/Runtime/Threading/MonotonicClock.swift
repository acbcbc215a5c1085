package import CacheModel
import CPlatform

/// The machine's clock: it goes on while the machine sleeps, so that a lease never outlives a
/// suspended machine.
package enum MonotonicClock {
    package static var now: Instant { Instant(nanoseconds: martlet_boottime_nanoseconds()) }
}

/// The clock that people's dates are told by.
package enum CalendarClock {
    package static var now: CalendarTime {
        CalendarTime(nanoseconds: martlet_calendar_nanoseconds())
    }

    /// Whether a time service keeps it right, as far as the kernel knows; `nil` where it does not
    /// say.
    package static var isSynchronized: Bool? {
        switch martlet_calendar_is_synchronized() {
        case 0: false
        case 1: true
        default: nil
        }
    }
}
