import CacheModel
import Testing

@testable import CacheMemory

/// Keys that have another owner: docs/decisions/0084.
@Suite struct MovedFloorsTests {
    private static let keys = (0..<64).map { "key\($0)" }

    private static func filled() -> MemoryTier {
        var tier = MemoryTier.sample()
        for key in keys { tier.store(Offer(key: key, fill: stamp(1))) }
        return tier
    }

    private static func isLow(_ key: String) -> Bool { TestScope.route(key) < 1 << 63 }

    private static func seen(_ tier: inout MemoryTier) -> Set<String> {
        var seen: Set<String> = []
        for key in keys where tier.seen(key) != nil { seen.insert(key) }
        return seen
    }

    @Test func whatIsKeptStaysVisibleAndTheRestIsGone() {
        var tier = Self.filled()
        tier.move(at: stamp(5), now: at(0)) { $0.route < 1 << 63 }
        let seen = Self.seen(&tier)
        #expect(seen == Set(Self.keys.filter(Self.isLow)))
        // And is not looked at again: the entry was checked.
        #expect(Self.seen(&tier) == seen)
        tier.entries.checkEverything()
    }

    @Test func whatIsFilledAtTheChangeOrLaterIsNotHidden() {
        var tier = Self.filled()
        tier.move(at: stamp(5), now: at(0), keeping: nil)
        tier.store(Offer(key: "key1", fill: stamp(5)))
        #expect(Self.seen(&tier) == ["key1"])
    }

    @Test func eachOfSeveralChangesHasToKeepAKey() {
        var tier = Self.filled()
        tier.move(at: stamp(5), now: at(0)) { $0.route < 1 << 63 }
        tier.move(at: stamp(6), now: at(0)) { $0.route & 1 == 0 }
        let kept = Self.keys.filter { Self.isLow($0) && TestScope.route($0) & 1 == 0 }
        #expect(Self.seen(&tier) == Set(kept))
    }

    @Test func moreChangesThanThereIsRoomForHideMoreAndNeverLess() {
        var tier = Self.filled()
        for number in 0...UInt64(MovedFloors.changesMax) {
            tier.move(at: stamp(5 + number), now: at(0)) { _ in number > 0 }
        }
        #expect(Self.seen(&tier).isEmpty)
    }

    private static let confirmable = Offer(key: "a", validator: "e1", fill: stamp(1))

    private static var confirmation: Offer {
        var offer = confirmable
        offer.value = []
        offer.fill = stamp(5)
        offer.isFenced = true
        return offer
    }

    /// A new epoch: the record of members may come before the report that names them.
    @Test func whatUnknownMembersHideTheOriginMayConfirm() {
        var tier = MemoryTier.sample()
        tier.store(Self.confirmable)
        tier.move(at: stamp(5), now: at(0), keeping: nil)
        #expect(tier.seen("a") == nil)
        tier.sweepRound(now: at(1))
        tier.sweepRound(now: at(1).advanced(by: .seconds(61)))
        #expect(tier.statistics.tokenBase == stamp(5), "the change was retired")
        #expect(tier.seen("a") == nil)
        #expect(tier.renewable("a") == "e1")
        #expect(tier.renewal(Self.confirmation) == nil)
        #expect(tier.seen("a") != nil)
        tier.entries.checkEverything()
    }

    /// Its key may have been another shard's, though nothing that is known has touched it.
    @Test func anAmnestyDoesNotShowWhatUnknownMembersHide() {
        var tier = MemoryTier.sample()
        tier.store(Self.confirmable)
        tier.quarantineEverything(at: stamp(1, epoch: 1), isPending: true)
        tier.move(at: stamp(5, epoch: 1), now: at(0), keeping: nil)
        tier.settleQuarantine(Amnesty(TouchedScopes(), namespaces: [.default]))
        #expect(tier.seen("a") == nil)
    }

    @Test func whatKnownMembersHideIsGone() {
        var tier = MemoryTier.sample()
        tier.store(Self.confirmable)
        tier.move(at: stamp(4), now: at(0), keeping: nil)
        tier.move(at: stamp(5), now: at(0)) { _ in false }
        #expect(tier.seen("a") == nil)
        #expect(tier.renewable("a") == nil)
        #expect(tier.entryCount == 0)
    }

    @Test func aTokenOlderThanAMoveIsRefusedForMovedKeys() throws {
        var tier = MemoryTier.sample()
        tier.move(at: stamp(5), now: at(0)) { $0.route < 1 << 63 }
        for key in Self.keys {
            let refusal = tier.refusal(Offer(key: key, fill: stamp(4), isFenced: true))
            #expect(refusal == (Self.isLow(key) ? nil : .invalidatedMeanwhile), "\(key)")
        }
    }

    @Test func aSweepRemovesWhatIsHiddenAndForgetsTheChange() {
        var tier = Self.filled()
        tier.move(at: stamp(5), now: at(0), keeping: nil)
        for round in 1...4 {
            let now = at(UInt64(round) << 20)
            while !tier.sweep(bucketLimit: 1_024, now: now).finishedRound {}
        }
        #expect(tier.statistics.tokenBase == stamp(5), "the change was retired")
        #expect(Self.seen(&tier).isEmpty)
    }

    /// Floors that are looked at only if they rose since an entry was checked last.
    @Test(arguments: [0, 1, 2])
    func ordinalsThatComeRoundForgetNoFloorThatStands(kind: Int) {
        var tier = Self.filled()
        switch kind {
        case 0: tier.move(at: stamp(5), now: at(0), keeping: nil)
        case 1: tier.invalidate(.part(.everything, 0...UInt64.max), at: stamp(5))
        default: tier.invalidate(.prefix("key"), at: stamp(5))
        }
        tier.entries.floors.skipOrdinals(to: FloorOrdinal(.max))
        tier.invalidate(.tag("other"), at: stamp(6))
        #expect(Self.seen(&tier).isEmpty)
    }
}
