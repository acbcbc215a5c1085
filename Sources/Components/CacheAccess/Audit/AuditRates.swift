import ByteCoding
package import CacheModel

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
