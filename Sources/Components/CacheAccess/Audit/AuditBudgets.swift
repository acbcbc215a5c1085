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

/// The bytes of lines a second that each key may cause by what it is allowed to do, so that no key
/// pushes out the lines of others. docs/decisions/0097 gives the reasons.
///
/// Parties without a key count as one, so the table is bounded by the list. Pure: the caller
/// passes the time.
package struct AuditRates: Sendable {
    private struct Account {
        let party: AuditParty
        var bytes = TokenBucket(perSecond: AuditLimits.lineBytesPerSecond)
        var leftOut: UInt64 = 0
    }

    private var accounts: [PublicKey?: Account] = [:]
    /// When ``takeLeftOut(now:)`` has something to say; `nil`: nothing was left out.
    package private(set) var nextReport: Instant?

    package init() {}

    /// Whether an event has a line. One that has none is counted.
    package mutating func mayNote(_ event: AuditEvent, now: Instant) -> Bool {
        guard let party = event.party, event.hasRate else { return true }
        var account = accounts[party.key] ?? Account(party: party)
        defer { accounts[party.key] = account }
        guard account.bytes.timeUntilSome(now: now) == nil else {
            account.leftOut += 1
            nextReport = nextReport ?? now.advanced(by: AuditLimits.denialWindow)
            return false
        }
        account.bytes.take(event.byteCount, now: now)
        return true
    }

    /// What was left out, by key, once it is time to say so.
    package mutating func takeLeftOut(now: Instant) -> [AuditEvent] {
        guard let nextReport, now >= nextReport else { return [] }
        self.nextReport = nil
        let events = accounts.values.filter { $0.leftOut > 0 }
            .sorted { $0.party.name ?? "" < $1.party.name ?? "" }
            .map { AuditEvent(.leftOut(count: $0.leftOut), by: $0.party) }
        // A key that stayed within its rate has all of it again in a moment.
        accounts = accounts.filter { $0.value.leftOut > 0 }
        for key in accounts.keys { accounts[key]?.leftOut = 0 }
        return events
    }
}

extension AuditEvent {
    /// Whether a program may order it again and again: invalidations, pacings and their end, and
    /// orders about rejected writes, which the administrator of one tenant has, too.
    fileprivate var hasRate: Bool {
        switch deed {
        case .invalidated, .receipt, .paced, .paceCancelled, .queue: true
        default: false
        }
    }

    /// Whether it is about nodes, the list or the process, and kept apart from what programs do.
    package var isAdministrative: Bool {
        switch deed {
        case .forgot, .drain, .queue, .list, .began, .ended: true
        default: false
        }
    }
}
