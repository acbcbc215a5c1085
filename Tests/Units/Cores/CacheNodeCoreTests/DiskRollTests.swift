import CacheModel
import CacheNodeCore
import Testing

@Suite struct DiskRollTests {
    private static func place(
        _ sequence: UInt64, epoch: UInt32 = 1, log: UInt64 = 7
    ) -> RecoveredPlace {
        RecoveredPlace(
            log: LogID(log),
            mark: LogMark(
                position: LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence)),
                digest: LogDigest(sequence)))
    }

    private static func roll(_ places: RecoveredPlace?...) -> DiskRoll {
        var roll = DiskRoll(shardCount: places.count)
        for (index, place) in places.enumerated() { roll.note(place, of: ShardIndex(index)) }
        return roll
    }

    @Test func isCompleteOnceEveryShardWasNotedWhateverItHas() {
        var roll = DiskRoll(shardCount: 2)
        #expect(!roll.isComplete)
        roll.note(nil, of: ShardIndex(1))
        #expect(!roll.isComplete)
        roll.note(Self.place(3), of: ShardIndex(0))
        #expect(roll.isComplete)
    }

    @Test func theNodeBeginsWhereTheLeastShardWas() {
        let roll = Self.roll(Self.place(5), Self.place(3), Self.place(4))
        #expect(roll.common == Self.place(3))
        #expect(roll.beginners == [])
    }

    @Test func shardsThatHoldNothingBeginWhereTheOthersWere() {
        let roll = Self.roll(nil, Self.place(9))
        #expect(roll.common == Self.place(9))
        #expect(roll.beginners == [ShardIndex(0)])
    }

    @Test func withoutAnyTierTheNodeIsNew() {
        let roll = Self.roll(nil, nil)
        #expect(roll.common == nil)
    }

    @Test func tiersOfDifferentLogsOrEpochsGoOnTogetherNowhere() {
        #expect(Self.roll(Self.place(5), Self.place(5, log: 8)).common == nil)
        #expect(Self.roll(Self.place(5), Self.place(1, epoch: 2)).common == nil)
    }
}
