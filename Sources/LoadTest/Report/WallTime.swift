#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A moment of the calendar, in UTC.
struct WallTime {
    /// Since 1970.
    let milliseconds: UInt64

    /// `2026-11-23 08:52:10Z`.
    var text: String {
        // Beyond the year 9999 nothing is known of how it would be written.
        let seconds = min(Double(milliseconds) / 1_000, 253_402_300_799)
        return Date(timeIntervalSince1970: seconds)
            .formatted(.iso8601.dateTimeSeparator(.space))
    }
}
