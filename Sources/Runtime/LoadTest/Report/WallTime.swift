#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A calendar time, in UTC.
struct WallTime {
    /// Milliseconds since 1970.
    let milliseconds: UInt64

    /// `2026-11-23 08:52:10Z`.
    var text: String {
        // The format is defined up to the year 9999.
        let seconds = min(Double(milliseconds) / 1_000, 253_402_300_799)
        return Date(timeIntervalSince1970: seconds)
            .formatted(.iso8601.dateTimeSeparator(.space))
    }
}
