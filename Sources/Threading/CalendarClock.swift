import CPlatform

/// The clock that people's dates are told by.
package enum CalendarClock {
    /// Whether somebody keeps it right, as far as the kernel was told; `nil` where it does not say.
    package static var isSynchronized: Bool? {
        switch martlet_calendar_is_synchronized() {
        case 0: false
        case 1: true
        default: nil
        }
    }
}
