import ByteCoding
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

@Suite struct ShardCoreTests {
    @Test func whatWasStoredIsHit() {
        var shard = ShardHarness()
        #expect(shard.get("a").status == .miss)
        #expect(shard.set("a", "one").status == .stored)
        let hit = shard.get("a")
        #expect(hit.status == .hit)
        #expect(hit.text == "one")
        #expect(hit.ttl == .max)
    }

    @Test func aBatchIsAnsweredInItsOrder() {
        var shard = ShardHarness()
        for index in 0..<64 where index % 2 == 0 { _ = shard.set("k\(index)", "v\(index)") }
        let frame = shard.getFrame((0..<64).map { "k\($0)" })
        guard case .results(_, let outcomes) = shard.send(frame).first else {
            Issue.record("a batch is answered with results")
            return
        }
        #expect(outcomes.count == 64)
        for (index, outcome) in outcomes.enumerated() {
            #expect(outcome.status == (index % 2 == 0 ? .hit : .miss))
            #expect(outcome.text == (index % 2 == 0 ? "v\(index)" : ""))
        }
    }

    @Test func namespacesAreRoomsOfTheirOwn() throws {
        var shard = ShardHarness()
        let images = RequestShape(namespace: try #require(Namespace("images")))
        #expect(shard.set("a", "picture", .init(), images).status == .stored)
        #expect(shard.get("a").status == .miss)
        #expect(shard.get("a", [], images).text == "picture")
    }

    @Test func anEntryExpiresOnTimeAndCountsItsLifeDown() {
        var shard = ShardHarness()
        _ = shard.set("a", "one", .init(timeToLive: 1_000))
        shard.advance(by: .milliseconds(400))
        let hit = shard.get("a")
        // An end is kept to 4.2 ms and never late, an age to 17 ms.
        #expect((595...600).contains(hit.ttl))
        #expect((383...417).contains(hit.age))
        shard.advance(by: .milliseconds(600))
        #expect(shard.get("a").status == .miss)
    }

    @Test func aTouchChangesTheLifeAndNothingElse() {
        var shard = ShardHarness()
        _ = shard.set("a", "one", .init(timeToLive: 1_000, version: Version(4)))
        #expect(shard.only(shard.touchFrame("a", ttl: 5_000)).status == .touched)
        shard.advance(by: .seconds(3))
        let hit = shard.get("a", .details)
        #expect((1_995...2_000).contains(hit.ttl))
        #expect(hit.fields.version == Version(4))
        #expect(shard.only(shard.touchFrame("b", ttl: 5_000)).refusal == .absent)
    }

    @Test func anOlderVersionNeverReplacesANewerOne() {
        var shard = ShardHarness()
        #expect(shard.set("a", "two", .init(version: Version(2))).status == .stored)
        #expect(shard.set("a", "one", .init(version: Version(1))).refusal == .olderVersion)
        #expect(shard.set("a", "again", .init(version: Version(2))).refusal == .olderVersion)
        #expect(shard.set("a", "three", .init(version: Version(3))).status == .stored)
        #expect(shard.get("a").text == "three")
    }

    @Test func detailsTellVersionTagsETagAndFillPosition() throws {
        var shard = ShardHarness()
        let position = shard.invalidate(.key("other"))
        var description = SetOperation.Description(
            version: Version(9), tags: [.named("x"), .named("y")])
        description.etag = Validator("\"abc\"")
        _ = shard.set("a", "one", description)
        let fields = shard.get("a", .details).fields
        #expect(fields.version == Version(9))
        #expect(fields.tags == [.named("x"), .named("y")])
        #expect(fields.etag == Validator("\"abc\""))
        #expect(fields.fillPosition == position)
    }

    @Test func everyAnswerCarriesItsProof() {
        var shard = ShardHarness()
        let position = shard.invalidate(.key("x"))
        shard.makeLive(for: .seconds(2))
        guard case .results(let proof, _) = shard.send(shard.getFrame(["a"])).first else {
            Issue.record("a get is answered with results")
            return
        }
        #expect(proof.position == position)
        #expect(proof.state == .live)
        #expect(proof.leaseLeftMilliseconds == 2_000)
    }

    @Test func aLargeValueIsReadInPartsOfOneIdentity() throws {
        var shard = ShardHarness(memoryBytes: 256 << 20)
        let value = (0..<(WireLimits.chunkBytesMax + 1_000)).map { UInt8(truncatingIfNeeded: $0) }
        try storeInChunks(value, as: "big", in: &shard)
        let first = shard.get("big")
        let whole = try #require(first.fields.whole)
        #expect(whole.totalBytes == value.count)
        #expect(first.value.count == WireLimits.chunkBytesMax)
        let part = GetOperation.Part(
            identity: whole.identity, offset: UInt32(first.value.count), length: 1_000)
        let rest = shard.only(rangeFrame("big", part, &shard))
        #expect(first.value + rest.value == value)

        _ = shard.set("big", "another")
        #expect(shard.only(rangeFrame("big", part, &shard)).status == .changed)
    }

    /// The first part may be young enough for its reader and the last too old: they are of one age.
    @Test func aMaximumAgeChangesNothingForPartsButTheNamespaceStillDecides() throws {
        var shard = ShardHarness(memoryBytes: 64 << 20)
        let value = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try storeInChunks(value, as: "big", in: &shard)
        let whole = try #require(shard.get("big").fields.whole)
        let part = GetOperation.Part(identity: whole.identity, offset: 600_000, length: 1_000)
        let young = RequestShape(maxAgeMilliseconds: 1)
        shard.advance(by: .seconds(10))
        #expect(shard.only(rangeFrame("big", part, &shard, young)).status == .hit)

        var policy = NamespacePolicy()
        policy.suspect = .refuse
        shard.core.configure([:], fallback: policy)
        shard.makeLive(for: .seconds(3))
        shard.advance(by: .seconds(3))
        #expect(shard.only(rangeFrame("big", part, &shard, young)).status == .behind)
        #expect(shard.only(rangeFrame("big", part, &shard)).status == .behind)
    }

    private func rangeFrame(
        _ key: String, _ part: GetOperation.Part, _ shard: inout ShardHarness,
        _ shape: RequestShape = RequestShape()
    ) -> [UInt8] {
        shard.frame(.get, count: 1, shape) { writer in
            Array(key.utf8).withUnsafeBytes {
                GetOperation.append(key: $0, options: [], part: part, to: &writer)
            }
        }
    }

    private func storeInChunks(
        _ value: [UInt8], as key: String, in shard: inout ShardHarness
    ) throws {
        for offset in stride(from: 0, to: value.count, by: WireLimits.chunkBytesMax) {
            let end = min(value.count, offset + WireLimits.chunkBytesMax)
            let frame = shard.frame(.chunk, count: 1) { writer in
                value[offset..<end].withUnsafeBytes {
                    ChunkOperation.append(
                        uploadID: 5, totalBytes: value.count, offset: offset, bytes: $0,
                        to: &writer)
                }
            }
            #expect(shard.only(frame).status == .received)
        }
        var description = SetOperation.Description()
        description.upload = SetOperation.Upload(id: 5, totalBytes: value.count)
        #expect(shard.set(key, "", description).status == .stored)
    }

    @Test func anUploadThatIsNotWholeIsNotStored() {
        var shard = ShardHarness()
        var description = SetOperation.Description()
        description.upload = SetOperation.Upload(id: 5, totalBytes: 600_000)
        #expect(shard.set("big", "", description).refusal == .uploadIncomplete)
    }

    private func uploads(of shard: borrowing ShardHarness) -> UInt64? {
        shard.core.figures(now: shard.now).first { $0.name == "uploads" }?.value
    }

    @Test func aRefusedStoreKeepsNoUpload() throws {
        var shard = ShardHarness(isReplicated: true)
        let value = [UInt8](repeating: 7, count: WireLimits.chunkBytesMax)
        let chunk = shard.frame(.chunk, count: 1) { writer in
            value.withUnsafeBytes {
                ChunkOperation.append(
                    uploadID: 5, totalBytes: value.count, offset: 0, bytes: $0, to: &writer)
            }
        }
        var description = SetOperation.Description()
        description.upload = SetOperation.Upload(id: 5, totalBytes: value.count)

        // By a token of another run.
        #expect(shard.only(chunk).status == .received)
        #expect(uploads(of: shard) == 1)
        description.token = FillToken(
            position: shard.log.head.position, incarnation: Incarnation(1), nonce: 1)
        #expect(shard.set("big", "", description).refusal == .tokenTooOld)
        #expect(uploads(of: shard) == 0)

        // Because the publisher cannot be reached.
        #expect(shard.only(chunk).status == .received)
        #expect(uploads(of: shard) == 1)
        description.token = nil
        #expect(shard.send(shard.setFrame("big", "", description)).isEmpty)
        let tickets = shard.effects.compactMap { effect -> UInt64? in
            if case .publish(let request) = effect { request.ticket } else { nil }
        }
        shard.core.published(ticket: try #require(tickets.first), at: nil)
        #expect(!shard.finishWaiting().isEmpty)
        #expect(uploads(of: shard) == 0)
    }

    @Test func aReplyThatWouldNotFitItsFrameDefersTheRest() {
        var shard = ShardHarness(memoryBytes: 256 << 20)
        let value = String(repeating: "x", count: 200_000)
        for index in 0..<10 { _ = shard.set("k\(index)", value) }
        let frame = shard.getFrame((0..<10).map { "k\($0)" })
        guard case .results(_, let outcomes) = shard.send(frame).first else {
            Issue.record("a get is answered with results")
            return
        }
        #expect(outcomes.prefix(4).allSatisfy { $0.status == .hit })
        #expect(outcomes.last?.status == .deferred)
    }
}
