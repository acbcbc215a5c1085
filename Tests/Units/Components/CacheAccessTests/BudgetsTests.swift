import CacheModel
import Testing

@testable import CacheAccess

/// What each key has used up.
@Suite struct BudgetsTests {
    private static func now(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: (86_400_000 + milliseconds) * 1_000_000)
    }

    private static func table(_ bounds: String...) throws -> AccessTable {
        let lines = bounds.enumerated().map { index, bound in
            "k\(index) \(String(repeating: "0", count: 63))\(index) read \(bound)"
        }
        let list = try AccessList(parsing: lines.joined(separator: "\n"))
        return AccessTable([nil] + list.entries.map(Optional.some))
    }

    /// Charges operations and bytes at a moment.
    private static func charge(
        _ budgets: inout Budgets, _ number: PrincipalNumber, _ operations: Int, _ bytes: Int = 1,
        at milliseconds: UInt64 = 0
    ) -> Budgets.Charge {
        budgets.charge(number, operations: operations, bytes: bytes, now: now(milliseconds))
    }

    private let first = PrincipalNumber(rawValue: 1)
    private let second = PrincipalNumber(rawValue: 2)

    @Test func aKeyIsHeldToItsRatesAndItsNeighbourIsNot() throws {
        var budgets = Budgets()
        budgets.follow(try Self.table("ops=100/s", ""))
        #expect(Self.charge(&budgets, first, 100) == .taken)
        #expect(
            Self.charge(&budgets, first, 1)
                == .beyond(retryAfterMilliseconds: 1))
        #expect(
            Self.charge(&budgets, second, 1_000_000, 1 << 30)
                == .taken)
        #expect(Self.charge(&budgets, first, 1, 1, at: 1) == .taken)
    }

    @Test func theSlowerOfTwoRatesSaysWhenToComeAgain() throws {
        var budgets = Budgets()
        budgets.follow(try Self.table("ops=100/s bytes=1KiB/s"))
        #expect(Self.charge(&budgets, first, 200, 4_096) == .taken)
        #expect(
            Self.charge(&budgets, first, 1)
                == .beyond(retryAfterMilliseconds: 3_001))
    }

    @Test func whatIsAnsweredIsPaidForBeforeTheNextQuestion() throws {
        var budgets = Budgets()
        budgets.follow(try Self.table("bytes=1KiB/s"))
        #expect(Self.charge(&budgets, first, 1, 10) == .taken)
        budgets.pay(first, bytes: 2_048, now: Self.now(0))
        #expect(Self.charge(&budgets, first, 1, 10, at: 1_000) != .taken)
        #expect(Self.charge(&budgets, first, 1, 10, at: 1_011) == .taken)
    }

    @Test func aNewListKeepsWhatWasUsedAndForgetsWhatItChanged() throws {
        var budgets = Budgets()
        budgets.follow(try Self.table("ops=1/s"))
        #expect(Self.charge(&budgets, first, 60) == .taken)
        budgets.follow(try Self.table("ops=1/s waiting=7", "ops=9/s"))
        #expect(budgets.waitingMax(of: first) == 7)
        #expect(Self.charge(&budgets, first, 1) != .taken)
        budgets.follow(try Self.table("ops=2/s"))
        #expect(Self.charge(&budgets, first, 1) == .taken)
        budgets.follow(.empty)
        #expect(Self.charge(&budgets, first, 1_000) == .taken)
        #expect(Self.charge(&budgets, first, 1_000) == .taken)
    }

    @Test func refusalsAreRateLimitedPerEntryAndJointlyForUnknownPeers() throws {
        var budgets = Budgets()
        budgets.follow(try Self.table("", ""))
        var said = 0
        for _ in 0..<5_000 where budgets.mayRefuse(first, now: Self.now(0)) { said += 1 }
        #expect(said == Budgets.refusalsPerSecond)
        let isNeighbourTold = budgets.mayRefuse(second, now: Self.now(0))
        let isToldStill = budgets.mayRefuse(first, now: Self.now(0))
        let isToldLater = budgets.mayRefuse(first, now: Self.now(2))
        #expect(isNeighbourTold && !isToldStill && isToldLater)
        // Strangers share one budget: their numbers mean nothing.
        for _ in 0..<5_000 { _ = budgets.mayRefuse(.init(rawValue: 77), now: Self.now(0)) }
        let isStrangerTold = budgets.mayRefuse(.unknown, now: Self.now(0))
        #expect(!isStrangerTold)
    }
}
