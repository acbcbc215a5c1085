import ByteCoding
import CacheAccess
import CacheModel
import Testing

/// How much of what a key is allowed to do has a line.
@Suite struct AuditRatesTests {
    private static func parties() throws -> [AuditParty] {
        let list = try AccessList(
            parsing: (1...2).map { "k\($0) \(String(repeating: "0\($0)", count: 32)) invalidate" }
                .joined(separator: "\n"))
        return list.entries.map { AuditParty($0) }
    }

    private static func invalidation(by party: AuditParty?) -> AuditEvent {
        AuditEvent(
            .invalidated(
                .init([Scope(.namespace(.default))], .hard), at: .none, wait: "none",
                isRepeated: false),
            by: party)
    }

    private static func moment(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func aKeyThatFloodsIsCountedAndOthersHaveTheirLines() throws {
        var rates = AuditRates()
        let parties = try Self.parties()
        let flood = Self.invalidation(by: parties[0])
        var noted: UInt64 = 0
        for _ in 0..<10_000 where rates.mayNote(flood, now: Self.moment(1)) { noted += 1 }
        let most = UInt64(AuditLimits.lineBytesPerSecond / flood.byteCount + 1)
        #expect(noted > 1_000 && noted <= most)
        let isOtherNoted = rates.mayNote(Self.invalidation(by: parties[1]), now: Self.moment(2))
        #expect(isOtherNoted)
        #expect(rates.takeLeftOut(now: Self.moment(1_000)) == [])
        let leftOut = AuditEvent(.leftOut(count: 10_000 - noted), by: parties[0])
        #expect(rates.takeLeftOut(now: Self.moment(1_001)) == [leftOut])
        #expect(rates.takeLeftOut(now: Self.moment(9_000)) == [])
        #expect(rates.nextReport == nil)
    }

    /// What has no line has none in the copy, either: the writer asks once for both.
    @Test func ordersAboutQueuesAndCancelledPacingsHaveTheRateOfTheKey() throws {
        let party = try Self.parties()[0]
        let deeds: [AuditEvent.Deed] = [
            .queue(order: "drop", key: nil, in: .default), .paceCancelled(PacingID(1)),
        ]
        for deed in deeds {
            var rates = AuditRates()
            let event = AuditEvent(deed, by: party)
            var noted: UInt64 = 0
            for _ in 0..<10_000 where rates.mayNote(event, now: Self.moment(1)) { noted += 1 }
            let most = UInt64(AuditLimits.lineBytesPerSecond / event.byteCount + 1)
            #expect(noted > 1_000 && noted <= most, "\(event.word)")
            let isInvalidationNoted = rates.mayNote(
                Self.invalidation(by: party), now: Self.moment(1))
            #expect(!isInvalidationNoted, "a key has one rate for all of them")
            let leftOut = AuditEvent(.leftOut(count: 10_001 - noted), by: party)
            #expect(rates.takeLeftOut(now: Self.moment(1_001)) == [leftOut])
        }
    }

    @Test func drainsHaveNoRateAndAreKeptApart() throws {
        var rates = AuditRates()
        let party = try Self.parties()[0]
        let node = try #require(NodeID("n1"))
        var noted = 0
        for _ in 0..<10_000 {
            if rates.mayNote(AuditEvent(.drain(node), by: party), now: Self.moment(1)) {
                noted += 1
            }
        }
        #expect(noted == 10_000)
        #expect(AuditEvent(.drain(node), by: party).isAdministrative)
        #expect(!Self.invalidation(by: party).isAdministrative)
    }

    @Test func anOrdinaryPaceIsNotedWhole() throws {
        var rates = AuditRates()
        let event = Self.invalidation(by: try Self.parties()[0])
        var noted = 0
        for millisecond in 0..<5_000
        where rates.mayNote(event, now: Self.moment(UInt64(millisecond))) { noted += 1 }
        #expect(noted == 5_000)
    }
}
