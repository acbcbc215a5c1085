import CacheModel
import Testing

@testable import CacheDisk

@Suite struct DiskOpeningTests {
    private static func owner() throws -> TierOwner {
        TierOwner(
            node: try #require(NodeID("n1")), shard: 0, of: 1, machine: DiskBench.machine,
            geometry: DiskBench.geometry)
    }

    private static func cause(
        _ change: (inout TierOwner) -> Void
    ) throws -> AnewCause? {
        var owner = try owner()
        change(&owner)
        switch DiskOpening.judge(DiskBench.superblock().encoded, for: owner) {
        case .resume: return nil
        case .anew(let cause): return cause
        }
    }

    @Test func whatIsTheShardsOwnIsResumed() throws {
        let cause = try Self.cause { $0.machine.calendar += 5_000 }
        #expect(cause == nil)
    }

    @Test func whateverIsAnotherBeginsAnewAndSaysWhy() throws {
        let other = try #require(NodeID("n2"))
        let larger = try #require(
            DiskGeometry(
                checkpointBytes: 4_096, tailBytes: 8_192, segmentBytes: 8_192, segmentCount: 6))
        #expect(try Self.cause { $0.node = other } == .otherNode(try #require(NodeID("n1"))))
        #expect(try Self.cause { $0.shard = 1 } == .otherShard(0))
        #expect(try Self.cause { $0.shardCount = 2 } == .otherShardCount(1))
        let size = DiskBench.geometry.fileBytes
        #expect(try Self.cause { $0.geometry = larger } == .otherSize(size))
        #expect(try Self.cause { $0.machine.file += 1 } == .copied)
        #expect(try Self.cause { $0.machine.birth += 1 } == .copied)
        let boot = BootID(high: 7, low: 7)
        #expect(try Self.cause { $0.machine.boot = boot } == .lostPower)
        let owner = try Self.owner()
        #expect(DiskOpening.judge([], for: owner) == .anew(.first))
        let zeros = [UInt8](repeating: 0, count: 4_096)
        #expect(DiskOpening.judge(zeros, for: owner) == .anew(.zeros))
        let text = Array(repeating: UInt8(ascii: "x"), count: 4_096)
        #expect(DiskOpening.judge(text, for: owner) == .anew(.damaged))
    }

    @Test func aTierThatWasEndedInOrderOutlivesABoot() throws {
        var superblock = DiskBench.superblock()
        superblock.closed = TierTime(milliseconds: 9)
        var owner = try Self.owner()
        owner.machine.boot = BootID(high: 7, low: 7)
        #expect(DiskOpening.judge(superblock.encoded, for: owner) == .resume(superblock))
    }

    @Test func aTierThatIsOpenedIsOfThisLife() throws {
        var superblock = DiskBench.superblock()
        superblock.closed = TierTime(milliseconds: 9)
        var machine = DiskBench.machine
        machine.boot = BootID(high: 7, low: 7)
        machine.calendar += 60_000
        let now = Instant(nanoseconds: 2_000_000)
        let clock = TierClock(
            continuing: superblock, boot: machine.boot, now: now, calendar: machine.calendar)
        let opened = superblock.opened(by: 6, on: machine, clock)
        #expect(opened.closed == nil && opened.incarnation == 6 && opened.machine == machine)
        #expect(opened.tier == superblock.tier && opened.geometry == superblock.geometry)
        // Killed at once, it goes on with the same clock.
        let again = TierClock(
            continuing: opened, boot: machine.boot, now: Instant(nanoseconds: 3_000_000),
            calendar: 0)
        #expect(again == clock && again.time(at: now) == TierTime(milliseconds: 60_009))
    }

    @Test func everyCauseHasASentence() throws {
        let node = try #require(NodeID("n1"))
        let causes: [AnewCause] = [
            .first, .damaged, .otherFormat(0x32), .otherNode(node), .otherShard(1),
            .otherShardCount(2), .otherSize(4_096), .copied, .lostPower,
            .timeUsedUp, .unusable(.tailDamaged), .unusable(.removalsMissing),
            .unusable(.noCheckpoint),
        ]
        let sentences = Set(causes.map(\.description))
        #expect(sentences.count == causes.count)
        #expect(causes[2].description.contains("format 2"))
    }

    /// They are logged as warnings.
    @Test func onlyWhatWasLostIsDamage() throws {
        let node = try #require(NodeID("n1"))
        for cause in [.zeros, .damaged, .unusable(.noCheckpoint)] as [AnewCause] {
            #expect(cause.isDamage, "\(cause)")
        }
        for cause in [
            .first, .otherFormat(0x32), .otherNode(node), .otherShard(1), .otherShardCount(2),
            .otherSize(4_096), .copied, .lostPower, .timeUsedUp,
        ] as [AnewCause] {
            #expect(!cause.isDamage, "\(cause)")
        }
    }
}

@Suite struct TierClockTests {
    private static func instant(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func itGoesWithTheBootsClockOverRestarts() {
        let clock = TierClock(startingAt: Self.instant(50_000))
        #expect(clock.time(at: Self.instant(50_000)) == TierClock.first)
        var superblock = DiskBench.superblock()
        superblock.clockBase = clock.base
        // The calendar was stepped by a day; the machine was not restarted.
        let later = TierClock(
            continuing: superblock, boot: superblock.machine.boot, now: Self.instant(60_000),
            calendar: superblock.machine.calendar + 86_400_000)
        #expect(later == clock)
        let tenSecondsOn = TierTime(milliseconds: TierClock.first.milliseconds + 10_000)
        #expect(later.time(at: Self.instant(60_000)) == tenSecondsOn)
        #expect(later.instant(of: tenSecondsOn) == Self.instant(60_000))
    }

    /// Also of what was stored before the boot, or elsewhere before the tier was made.
    @Test(arguments: [0, 1, 59_999, 60_001, 86_400_000, 900 * 86_400_000] as [Int64])
    func itKnowsTheAgeOfWhatIsOlderThanItself(milliseconds: Int64) {
        let clock = TierClock(startingAt: Self.instant(50_000))
        let (now, age) = (Self.instant(60_000), Duration.milliseconds(milliseconds))
        let stored = clock.time(at: now, lessAge: age)
        #expect(clock.age(of: stored, at: now) == age)
        #expect(clock.age(of: clock.time(at: now), at: Self.instant(59_000)) == .zero)
    }

    @Test func overABootItGoesOnByTheCalendar() {
        var superblock = DiskBench.superblock()
        superblock.closed = TierTime(milliseconds: 5_000)
        let clock = TierClock(
            continuing: superblock, boot: BootID(high: 9, low: 9), now: Self.instant(300),
            calendar: superblock.machine.calendar + 60_000)
        #expect(clock.time(at: Self.instant(300)) == TierTime(milliseconds: 65_000))
        #expect(clock.instant(of: TierTime(milliseconds: 5_000)) == nil, "before the boot")
    }

    @Test func aCalendarThatWentBackExpiresEverythingThatExpires() {
        var superblock = DiskBench.superblock()
        superblock.closed = TierTime(milliseconds: 5_000)
        let clock = TierClock(
            continuing: superblock, boot: BootID(high: 9, low: 9), now: Self.instant(300),
            calendar: superblock.machine.calendar - 1)
        let longest: UInt64 = 36_500 * 86_400_000 + UInt64(UInt32.max)
        #expect(clock.time(at: Self.instant(300)).milliseconds > 5_000 + longest)
    }

    /// Each time the calendar has gone back, and nobody knows for how long the machine was off.
    @Test func aTiersTimeIsNotUsedUpByReboots() throws {
        var owner = TierOwner(
            node: try #require(NodeID("n1")), shard: 0, of: 1, machine: DiskBench.machine,
            geometry: DiskBench.geometry)
        var begunAnew = 0
        var superblock = DiskBench.superblock()
        superblock.closed = TierTime(milliseconds: 5_000)
        var calendar = superblock.machine.calendar
        for boot in 1...200 as ClosedRange<UInt64> {
            calendar -= 1
            owner.machine.boot = BootID(high: boot, low: 9)
            let opening = DiskOpening.judge(superblock.encoded, for: owner)
            guard case .resume(let found) = opening else {
                #expect(opening == .anew(.timeUsedUp))
                begunAnew += 1
                superblock.closed = TierClock.first
                continue
            }
            let clock = TierClock(
                continuing: found, boot: owner.machine.boot, now: Self.instant(300),
                calendar: calendar)
            let (early, late) = (
                clock.time(at: Self.instant(300)), clock.time(at: Self.instant(60_000))
            )
            #expect(late.milliseconds == early.milliseconds + 59_700, "boot \(boot)")
            superblock.closed = late
            (superblock.machine.boot, superblock.machine.calendar) = (
                owner.machine.boot, calendar
            )
        }
        #expect((1...10).contains(begunAnew))
    }

    /// Whatever a superblock says, or a calendar.
    @Test(arguments: [Int64.min, -1, 0, Int64.max])
    func noMomentIsTooFarAway(base: Int64) {
        for boot in [DiskBench.machine.boot, BootID(high: 9, low: 9)] {
            for calendar in [0, UInt64.max] {
                var superblock = DiskBench.superblock()
                superblock.clockBase = base
                superblock.closed = TierTime.max
                let clock = TierClock(
                    continuing: superblock, boot: boot, now: Instant(nanoseconds: .max),
                    calendar: calendar)
                let early = clock.time(at: Instant(nanoseconds: 0))
                let late = clock.time(at: Instant(nanoseconds: .max))
                #expect(early <= late)
                let last = clock.instant(of: .max)
                #expect(base == .max || last != nil)
            }
        }
    }
}
