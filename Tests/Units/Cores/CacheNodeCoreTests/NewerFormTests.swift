import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

extension SealedRecord {
    /// As a later release would have written it: of a strength that is not known here.
    func madeNewer() throws -> SealedRecord {
        var bytes = bytes
        bytes[40] = 9
        return try bytes.withUnsafeBytes {
            var reader = ByteReader($0)
            return try SealedRecord(decoding: &reader)
        }
    }
}

/// Records of a form that this release cannot read: applied as "everything may have changed", and
/// said aloud.
@Suite struct NewerFormTests {
    // MARK: The node

    /// A stage that is live, with a newer record appended.
    private func stage() throws -> ControlStage {
        var stage = try ControlStage()
        try stage.append(2)
        try stage.becomeLive()
        try appendNewer(&stage)
        return stage
    }

    private func appendNewer(_ stage: inout ControlStage) throws {
        try stage.append(1)
        stage.records[stage.records.count - 1] = try #require(stage.records.last).madeNewer()
    }

    @Test func aNewerRecordIsAppliedAndTheNodeStaysLive() throws {
        var stage = try stage()
        try stage.append(1)
        let actions = stage.live(3...4)
        #expect(actions.applied == Array(stage.records[2...3]))
        #expect(!actions.forgets && stage.core.standing.state == .live)
        #expect(Sent.acks(in: actions) == [stage.mark(4)])
        #expect(stage.core.statistics.newerRecords == 1)
        #expect(stage.core.statistics.damagedFrames == 0)
    }

    @Test func newerRecordsAreReportedAtOnceAndThenOncePerMinute() throws {
        var stage = try stage()
        let first = stage.live(3...3).reports
        #expect(first == [.newerForm(position: stage.mark(3).position, recordCount: 1)])
        for number in 4...6 {
            try appendNewer(&stage)
            #expect(stage.live(number...number).reports == [])
        }
        stage.now = stage.now.advanced(by: NodeControlLimits.newerFormReportSpacing)
        try appendNewer(&stage)
        let second = stage.live(7...7).reports
        #expect(second.contains(.newerForm(position: stage.mark(7).position, recordCount: 4)))
        #expect(stage.core.statistics.newerRecords == 5)
    }

    @Test func oneThatIsNotOfTheChainIsNotObeyed() throws {
        var stage = try stage()
        var bytes = stage.records[2].bytes
        bytes[16] ^= 1
        stage.records[2] = try bytes.withUnsafeBytes {
            var reader = ByteReader($0)
            return try SealedRecord(decoding: &reader)
        }
        let actions = stage.live(3...3)
        #expect(actions.applied.isEmpty)
        #expect(stage.core.statistics.newerRecords == 0)
        #expect(stage.core.standing.state != .live)
    }

    @Test func aReplayBringsItToo() throws {
        var stage = try stage()
        try stage.append(2)
        let resume = try #require(Sent.of(.resume, in: stage.live(5...5)).first)
        let asked = try #require(Sent.resumes(in: [.sendControl(bytes: resume.frame)]).first)
        let actions = stage.replay(asked, requestID: resume.requestID)
        #expect(actions.applied.map(\.record.isOfNewerForm) == [true, false, false])
        #expect(stage.core.statistics.newerRecords == 1)
    }

    // MARK: The shard

    private func stored(_ shard: inout ShardHarness, _ key: String, etag: String?) {
        var description = SetOperation.Description()
        description.token = shard.token(for: key)
        description.etag = etag.flatMap { Validator($0) }
        #expect(shard.set(key, "one", description).status == .stored)
    }

    private func obeyNewer(_ shard: inout ShardHarness) throws {
        let record = try shard.log.append([.key("other")]).madeNewer()
        shard.log.goOn(after: record)
        shard.core.apply([record], isAwaited: true, now: shard.now, effects: &shard.effects)
    }

    @Test func aNewerRecordHidesEarlierFillsAndAllowsLaterOnes() throws {
        var shard = ShardHarness()
        stored(&shard, "validated", etag: "e1")
        stored(&shard, "plain", etag: nil)
        let early = shard.token(for: "absent")
        try obeyNewer(&shard)
        #expect(shard.core.statistics.newerRecords == 1)
        #expect(shard.get("plain").status == .miss && shard.get("validated").status == .miss)
        var late = SetOperation.Description()
        late.token = early
        #expect(shard.set("absent", "late", late).refusal == .tokenTooOld)

        let miss = shard.get("validated", .token)
        #expect(miss.fields.etag == Validator("e1"))
        var renewal = SetOperation.Description(timeToLive: 60_000)
        renewal.options = .renew
        renewal.token = miss.fields.token
        renewal.etag = Validator("e1")
        #expect(shard.set("validated", "", renewal).status == .stored)
        #expect(shard.get("validated").text == "one")
        stored(&shard, "plain", etag: nil)
        #expect(shard.get("plain").text == "one")
        #expect(shard.core.applied == shard.log.head)
    }
}
