import CacheMemory
import CacheModel
import Testing

@testable import CacheDisk
@testable import CacheNodeCore

/// When the contents of a disk tier may be shown, and when its checkpoints are due.
@Suite struct DiskTrustTests {
    private static func mark(_ sequence: UInt64, digest: UInt64 = 0) -> LogMark {
        LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence)),
            digest: LogDigest(digest << 32 | sequence))
    }

    /// Of a run that had applied the log up to 20, with a checkpoint at 10.
    private static func recovered(hasGap: Bool = false) -> DiskTrust {
        var checkpoint = Checkpoint(log: LogID(1), mark: mark(10), floors: [])
        checkpoint.owners = 7
        checkpoint.hasGap = hasGap
        var trust = DiskTrust(writtenBy: Incarnation(5))
        trust.adopt(
            RecoveredTier(
                checkpoint: checkpoint, applied: mark(20), entryCount: 1, segmentCount: 1,
                damageCount: 0))
        return trust
    }

    // MARK: What an earlier run left

    @Test func aNewTierIsTrustedAtOnce() {
        #expect(DiskTrust(writtenBy: nil).isComplete(.all))
        #expect(!DiskTrust(writtenBy: Incarnation(5)).isComplete(.all))
    }

    @Test func entriesAreTrustedOnceTheLogIsAppliedToWhereTheEarlierRunWas() {
        var trust = Self.recovered()
        trust.isRunSettled = true
        #expect(!trust.isComplete(.all))
        #expect(trust.arrive(at: Self.mark(19)) == .before && !trust.isComplete(.all))
        #expect(trust.arrive(at: Self.mark(20)) == .expected && trust.isComplete(.all))
    }

    @Test func anotherRecordAtTheAwaitedPositionIsAnotherLog() {
        var trust = Self.recovered()
        #expect(trust.arrive(at: Self.mark(20, digest: 9)) == .other)
        #expect(trust.arrive(at: Self.mark(21)) == .expected, "it is reported once")
    }

    @Test func aRemovalIsRepeatedOnlyAfterAGap() {
        #expect(Self.recovered().hasApplied(Self.mark(20).position))
        #expect(!Self.recovered().hasApplied(Self.mark(21).position))
        #expect(!Self.recovered(hasGap: true).hasApplied(Self.mark(20).position))
    }

    @Test func aCheckpointKeepsTheGapUntilTheAwaitedMarkIsReached() {
        var trust = Self.recovered(hasGap: true)
        let first = trust.checkpoint(of: LogID(1), at: Self.mark(12), floors: [])
        #expect(first.hasGap && first.owners == 7 && first.mark == Self.mark(12))
        _ = trust.arrive(at: Self.mark(20))
        #expect(!trust.checkpoint(of: LogID(1), at: Self.mark(20), floors: []).hasGap)
    }

    // MARK: Checkpoints

    @Test func aCheckpointIsDueOnlyWhenSomethingWasAppliedAndNoneIsUnderWay() {
        let start = Instant(nanoseconds: 1_000_000_000)
        let next = start.advanced(by: .seconds(10))
        var checkpoints = CheckpointSchedule()
        #expect(checkpoints.isDue(at: Self.mark(1), now: start))
        checkpoints.begin(at: Self.mark(1), next: next)
        #expect(!checkpoints.isDue(at: Self.mark(2), now: next), "one is under way")
        checkpoints.end()
        #expect(!checkpoints.isDue(at: Self.mark(2), now: start), "the interval has not passed")
        #expect(!checkpoints.isDue(at: Self.mark(1), now: next), "nothing was applied")
        #expect(checkpoints.isDue(at: Self.mark(2), now: next))
        checkpoints.hasten()
        #expect(checkpoints.isDue(at: Self.mark(1), now: start))
    }
}
