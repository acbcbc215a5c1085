import ByteCoding
import CacheAccess
import CacheModel
import Testing

/// How many denials have a line.
@Suite struct DenialBudgetTests {
    private static func parties() throws -> [AuditParty] {
        let list = try AccessList(
            parsing: (1...2).map { "k\($0) \(String(repeating: "0\($0)", count: 32)) read" }
                .joined(separator: "\n"))
        return list.entries.map { AuditParty($0, address: "10.0.0.1") }
    }

    private static func moment(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func eachKeyHasFourASecondAndTheRestIsCounted() throws {
        var budget = DenialBudget()
        let parties = try Self.parties()
        let noted = (0..<1_000).count { _ in budget.mayNote(parties[0], now: Self.moment(5)) }
        #expect(noted == 4)
        let isOtherNoted = budget.mayNote(parties[1], now: Self.moment(6))
        #expect(isOtherNoted)
        #expect(budget.takeLeftOut(now: Self.moment(1_004)) == [])
        #expect(
            budget.takeLeftOut(now: Self.moment(1_005))
                == [AuditEvent(.leftOut(count: 996), by: parties[0])])
        #expect(budget.takeLeftOut(now: Self.moment(1_006)) == [])
        let isNotedAgain = budget.mayNote(parties[0], now: Self.moment(1_007))
        #expect(isNotedAgain)
    }

    @Test func denialsOfUnlistedPublicKeysShareOneBudget() {
        var budget = DenialBudget()
        let noted = (0..<1_000).count { number in
            var party = AuditParty(nil, address: "10.0.0.\(number % 250)")
            party.key = .init(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number &+ $0) })
            return budget.mayNote(party, now: Self.moment(1))
        }
        #expect(noted == 4)
        let leftOut = budget.takeLeftOut(now: Self.moment(2_000))
        #expect(leftOut == [AuditEvent(.leftOut(count: 996), by: AuditParty(nil))])
    }
}
