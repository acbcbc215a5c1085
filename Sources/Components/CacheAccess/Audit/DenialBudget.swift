import ByteCoding
package import CacheModel

/// How many denials of one key have a line, so that refused requests do not fill the log.
///
/// Keys that are in no list count as one, so the table is bounded by the list. Pure: the caller
/// passes the time.
package struct DenialBudget: Sendable {
    private struct Window {
        let party: AuditParty
        let end: Instant
        var count: UInt64
    }

    private var windows: [PublicKey?: Window] = [:]

    package init() {}

    /// Whether one more denial is noted.
    package mutating func mayNote(_ party: AuditParty, now: Instant) -> Bool {
        let owner = party.name == nil ? nil : party.key
        guard var window = windows[owner] else {
            let end = now.advanced(by: AuditLimits.denialWindow)
            windows[owner] = Window(party: party, end: end, count: 1)
            return true
        }
        window.count += 1
        windows[owner] = window
        return window.count <= AuditLimits.denialsMax
    }

    /// The denials without a line in windows that are over. Call it now and then, and before
    /// ``mayNote(_:now:)``: until then a window goes on.
    package mutating func takeLeftOut(now: Instant) -> [AuditEvent] {
        guard !windows.isEmpty else { return [] }
        var events: [AuditEvent] = []
        for (owner, window) in windows where window.end <= now {
            windows[owner] = nil
            guard window.count > AuditLimits.denialsMax else { continue }
            var party = window.party
            if owner == nil { party = AuditParty(nil) }
            events.append(
                AuditEvent(.leftOut(count: window.count - AuditLimits.denialsMax), by: party))
        }
        return events
    }
}
