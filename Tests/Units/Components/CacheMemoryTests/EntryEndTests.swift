import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

@Suite struct EntryEndTests {
    private static let day: UInt64 = 86_400_000_000_000
    private static let year = 365 * day
    /// Where steps become coarser, the longest lifetime of an old machine, and the last moment.
    private static let borders: [UInt64] = [
        0, 1 << 22, 1 << 56, 3 << 56, 7 << 56, 5 * year, 150 * year, .max,
    ]

    private static func longestStep(at nanoseconds: UInt64) -> UInt64 {
        switch nanoseconds {
        case ..<(1 << 56): 1 << 22
        case ..<(3 << 56): 1 << 24
        case ..<(7 << 56): 1 << 26
        default: 1 << 33
        }
    }

    @Test(arguments: borders)
    func anEndIsEarlyByLessThanAStepAndNeverLate(nanoseconds: UInt64) {
        var dice = SeededGenerator(seed: nanoseconds)
        for _ in 0..<1_000 {
            let moment = nanoseconds &+ UInt64(dice.below(1 << 40)) &- 1 << 39
            let end = EntryEnd(Instant(nanoseconds: moment))
            #expect(end.nanoseconds <= moment)
            #expect(moment - end.nanoseconds < Self.longestStep(at: moment))
            #expect(end < .never)
        }
    }

    @Test(arguments: borders)
    func aLaterMomentNeverHasALesserEnd(nanoseconds: UInt64) {
        let moments = (0..<64).flatMap { shift in
            let (less, isLess) = nanoseconds.subtractingReportingOverflow(1 << UInt64(shift))
            let (more, isMore) = nanoseconds.addingReportingOverflow(1 << UInt64(shift))
            return [nanoseconds, isLess ? 0 : less, isMore ? .max : more]
        }
        let ends = moments.sorted().map { EntryEnd(Instant(nanoseconds: $0)) }
        for (earlier, later) in zip(ends, ends.dropFirst()) { #expect(earlier <= later) }
    }

    /// A machine that has been up for so many years stores for a second and for a century.
    @Test(arguments: [0, 2, 3, 5, 10, 20, 50] as [UInt64])
    func aLifetimeIsKeptHoweverLongTheMachineHasBeenUp(years: UInt64) throws {
        var tier = MemoryTier.sample()
        let now = Instant(nanoseconds: years * Self.year)
        let step = Duration.nanoseconds(Int64(Self.longestStep(at: now.nanoseconds)))
        for life in [Duration.seconds(10), LifetimeLimits.longest] {
            let end = now.advanced(by: life)
            tier.store(Offer(expiresAt: end), now: now)
            let kept = try required(tier.seen("a", now: now)?.expiresAt)
            let lost = end.elapsed(since: kept)
            #expect(lost < max(step, life == .seconds(10) ? .zero : .seconds(9)))
            #expect(tier.seen("a", now: kept) == nil)
        }
        tier.store(Offer(expiresAt: now.advanced(by: .seconds(10))), now: now)
        _ = tier.entries.expire(slotLimit: 10, now: now)
        #expect(tier.entryCount == 1)
        _ = tier.entries.expire(slotLimit: 10, now: now.advanced(by: .seconds(10) + step + step))
        #expect(tier.entryCount == 0)
    }

    @Test func anAgeStopsCountingAndDoesNotBeginAnew() {
        var tier = MemoryTier.sample()
        tier.store(Offer(), now: at(1))
        tier.store(Offer(key: "soft", fill: stamp(1)), now: at(1))
        tier.invalidate(.key("soft"), .soft, at: stamp(2), now: at(1))
        let longest = age(Int64(Entry.ageTicksMax))
        for count in 1...30 as ClosedRange<UInt64> {
            let now = Instant(nanoseconds: count * 100 * Self.day)
            tier.sweepRound(now: now)
            let expected = min(.nanoseconds(Int64(now.nanoseconds)), longest)
            for key in ["a", "soft"] {
                let seen = withBytes(key) {
                    let hash = tier.hash(namespace: room, key: $0)
                    let view = tier.peek(hash, namespace: room, key: $0, now: now)
                    return view.map { $0.softAge(at: now) ?? $0.age(at: now) }
                }
                #expect(seen.map { expected - $0 < .seconds(1) && $0 <= expected } == true)
            }
        }
    }

    /// An origin's answer may be older than the machine has been up.
    @Test(arguments: [5, 86_400, 700 * 86_400] as [Int64])
    func anAgeReachesBackBeyondTheBoot(seconds: Int64) {
        var tier = MemoryTier.sample()
        let (now, old) = (Instant(nanoseconds: 1_000_000_000), Duration.seconds(seconds))
        let (hash, offer) = (tier.hash("a"), Offer())
        offer.withCandidate(hash: hash) {
            var candidate = $0
            candidate.age = old
            _ = tier.store(candidate, now: now)
        }
        let seen = withBytes("a") { tier.peek(hash, namespace: room, key: $0, now: now) }
            .map { $0.age(at: now) }
        #expect(seen.map { abs(($0 - old).components.seconds) == 0 } == true)
    }
}
