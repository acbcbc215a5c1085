import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import Testing

@Suite struct InvalidationFollowerTests {
    private static let log = LogID(77)

    /// A chained log of `count` records.
    private static func records(_ count: Int) throws -> [SealedRecord] {
        var digest = LogDigest(startOf: log)
        var records: [SealedRecord] = []
        for number in 1...count {
            let record = try SealedRecord(
                sealing: InvalidationRecord(
                    position: at(UInt64(number)), previousDigest: digest, operation: .none,
                    strength: .hard, scopes: [Scope(.everything)]))
            digest = record.digest
            records.append(record)
        }
        return records
    }

    private static func at(_ sequence: UInt64) -> LogPosition {
        LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence))
    }

    private static func heartbeat(_ mark: LogMark, log: LogID = log) -> Heartbeat {
        Heartbeat(
            log: log, head: mark,
            versions: SharedVersions(configRevision: 1, topologyVersion: 1))
    }

    /// A follower that begins at the first of `records`.
    private static func follower(at record: SealedRecord) -> InvalidationFollower {
        var follower = InvalidationFollower(after: nil)
        _ = follower.heard(heartbeat(record.mark), room: 10)
        return follower
    }

    @Test func recordsAreHandedOutOnceAndInOrder() throws {
        let log = try Self.records(4)
        var follower = Self.follower(at: log[0])
        let run = RecordRun(records: Array(log[1...2]))
        #expect(
            follower.received(run, room: 10) == [.deliver(log[1].record), .deliver(log[2].record)])
        #expect(follower.received(run, room: 10) == [])
        #expect(
            follower.received(RecordRun(records: [log[3]]), room: 10) == [.deliver(log[3].record)])
    }

    /// Who keeps something drops all of it: its scopes say everything.
    @Test func aRecordOfANewerFormIsHandedOutAsAboutEverything() throws {
        var log = try Self.records(2)
        var bytes = log[1].bytes
        bytes[40] = 9
        log[1] = try bytes.withUnsafeBytes {
            var reader = ByteReader($0)
            return try SealedRecord(decoding: &reader)
        }
        var follower = Self.follower(at: log[0])
        guard
            case .deliver(let record)? = follower.received(
                RecordRun(records: [log[1]]), room: 10
            ).first
        else {
            Issue.record("nothing was handed out")
            return
        }
        #expect(record.isOfNewerForm && record.scopes == [Scope(.everything)])
        #expect(follower.position == log[1].position)
    }

    @Test func aGapIsClosedByReplay() throws {
        let log = try Self.records(5)
        var follower = Self.follower(at: log[0])
        #expect(
            follower.received(RecordRun(records: [log[3]]), room: 10)
                == [.resume(log: Self.log, after: log[0].mark)])
        // Asked for once, however much arrives meanwhile.
        #expect(follower.received(RecordRun(records: [log[4]]), room: 10) == [])
        let replay = RecordRun(records: Array(log[1...3]), head: log[4].mark)
        let actions = follower.received(replay, room: 10)
        #expect(actions.prefix(3) == ArraySlice(log[1...3].map { .deliver($0.record) }))
        // The head is further on, so there is more to ask for.
        #expect(actions.last == .resume(log: Self.log, after: log[3].mark))
    }

    @Test func aLossAtTheEndIsFoundByTheHeartbeatAlone() throws {
        let log = try Self.records(2)
        var follower = Self.follower(at: log[0])
        let beat = Self.heartbeat(log[1].mark)
        let expected: [InvalidationFollower.Action] = [
            .heartbeat(head: Self.at(2)), .resume(log: Self.log, after: log[0].mark),
        ]
        #expect(follower.heard(beat, room: 10) == expected)
        // Again on each heartbeat, for the question may be lost as well.
        #expect(follower.heard(beat, room: 10) == expected)
    }

    @Test func whatFindsNoRoomIsReplayedLater() throws {
        let log = try Self.records(4)
        var follower = Self.follower(at: log[0])
        #expect(
            follower.received(RecordRun(records: Array(log[1...3])), room: 2)
                == [.deliver(log[1].record), .deliver(log[2].record)])
        #expect(
            follower.heard(Self.heartbeat(log[3].mark), room: 0)
                == [.resume(log: Self.log, after: log[2].mark)])
        #expect(
            follower.received(RecordRun(records: [log[3]], head: log[3].mark), room: 1)
                == [.deliver(log[3].record)])
    }

    @Test func whatIsGoneForGoodIsSaid() throws {
        let log = try Self.records(3)
        var follower = InvalidationFollower(after: LogPosition.none)
        #expect(
            follower.heard(Self.heartbeat(log[2].mark), room: 10)
                == [
                    .heartbeat(head: Self.at(3)),
                    .resume(log: .none, after: LogMark(position: .none, digest: LogDigest(0))),
                ])
        let answer = Truncated(log: Self.log, head: log[2].mark, tail: SequenceNumber(3))
        #expect(
            follower.truncated(answer, room: 10)
                == [.lost(after: .none, continuingAfter: Self.at(3))])
        #expect(follower.position == Self.at(3))
    }

    @Test func anotherLogIsALossAndMismatchedRecordsAreNotDelivered() throws {
        let log = try Self.records(3)
        var follower = Self.follower(at: log[0])
        let forged = try SealedRecord(
            sealing: InvalidationRecord(
                position: Self.at(2), previousDigest: LogDigest(1), operation: .none,
                strength: .hard, scopes: [Scope(.everything)]))
        #expect(
            follower.received(RecordRun(records: [forged]), room: 10)
                == [.resume(log: Self.log, after: log[0].mark)])
        let other = Self.heartbeat(log[2].mark, log: LogID(5))
        #expect(
            follower.heard(other, room: 10)
                == [.lost(after: Self.at(1), continuingAfter: Self.at(3))])
    }

    /// A log that began anew counts from one again: its records are not those that were missed.
    @Test func positionsOfAnotherClusterReportALossUpToTheHead() {
        let (log, start) = (LogID(5), LogPosition(epoch: Epoch(1), sequence: SequenceNumber(2)))
        let head = LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(9)),
            digest: LogDigest(77))
        let heartbeat = Heartbeat(
            log: log, head: head, versions: SharedVersions(configRevision: 0, topologyVersion: 0))
        var follower = InvalidationFollower(after: start, isVoid: true)
        #expect(follower.isStillVoid && follower.heard(heartbeat, room: 0).isEmpty)
        #expect(
            follower.heard(heartbeat, room: 9)
                == [.lost(after: start, continuingAfter: head.position)])
        #expect(!follower.isStillVoid && follower.position == head.position)
        #expect(follower.heard(heartbeat, room: 9) == [.heartbeat(head: head.position)])
        // One that is known to be of this log asks for what it missed.
        var known = InvalidationFollower(after: start)
        #expect(
            known.heard(heartbeat, room: 9).last
                == .resume(log: .none, after: LogMark(position: start, digest: LogDigest(0))))
    }

    @Test func publishersOfAnotherClusterCauseALossUpToTheirHead() throws {
        let log = try Self.records(3)
        var follower = Self.follower(at: log[0])
        follower.isElsewhere()
        #expect(follower.received(RecordRun(records: [log[1]]), room: 10) == [])
        // At the same number, too.
        #expect(
            follower.heard(Self.heartbeat(log[0].mark), room: 10)
                == [.lost(after: Self.at(1), continuingAfter: Self.at(1))])
        #expect(
            follower.received(RecordRun(records: [log[1]]), room: 10) == [.deliver(log[1].record)])
        var fresh = InvalidationFollower(after: nil)
        fresh.isElsewhere()
        #expect(
            fresh.heard(Self.heartbeat(log[0].mark), room: 10) == [.heartbeat(head: Self.at(1))])
    }

    @Test func aHeadOfTheSameEpochMayBeBehind() throws {
        let log = try Self.records(3)
        let follower = Self.follower(at: log[1])
        #expect(follower.isAhead(of: Self.at(1)))
        #expect(!follower.isAhead(of: Self.at(2)) && !follower.isAhead(of: Self.at(3)))
        let other = LogPosition(epoch: Epoch(2), sequence: SequenceNumber(1))
        #expect(!follower.isAhead(of: other), "a new epoch counts anew")
        #expect(!InvalidationFollower(after: nil).isAhead(of: Self.at(1)))
        #expect(!InvalidationFollower(after: Self.at(9), isVoid: true).isAhead(of: Self.at(1)))
    }
}
