import CacheLoading
import CacheMemory
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// A replica that has restarted is filled from its peers: docs/decisions/0091.
@Suite struct ReplicaFillTests {
    @Test func aRestartedReplicaHasWhatItsPeerHolds() {
        let stage = FillStage("n2")
        for number in 0..<300 {
            _ = stage.there.shard.fill(
                "k\(number)", "v\(number)", stage.there.shard.token(for: "k\(number)"))
        }
        stage.invalidate(.key("k7"))
        stage.restart()
        #expect(stage.here.get("k1").status == .miss)
        stage.begin()
        stage.run()
        for number in 0..<300 where number != 7 {
            let found = stage.here.get("k\(number)")
            #expect(found.status == .hit && found.text == "v\(number)" && found.flags == [])
        }
        #expect(stage.here.get("k7").status == .miss)
        #expect(stage.progress.phase == .done && stage.progress.copiedCount == 299)
        #expect(stage.progress.doneCount == 299 && stage.progress.keyCount == 299)
        #expect(stage.here.core.statistics.copies == 299)
        #expect(stage.there.shard.core.statistics.copiesGiven == 299)
    }

    @Test func everythingThatIsKnownOfAnEntryComesWithIt() throws {
        let stage = FillStage("n2")
        var description = SetOperation.Description(tags: [.named("t"), .named("u")])
        description.version = Version(5)
        description.etag = Validator("\"e\"")
        description.timeToLive = 60_000
        let type = RepresentationField("text/css")
        description.representation.contentType = type
        description.token = stage.there.shard.token(for: "a")
        _ = stage.there.shard.set("a", "one", description)
        _ = stage.there.shard.set("plain", "two", Self.ordered(stage, "plain"))
        stage.advance(by: .seconds(10))
        let there = stage.there.shard.get("a", .details)
        stage.restart()
        stage.begin()
        stage.run()
        let here = stage.here.get("a", .details)
        #expect(here.text == "one" && here.flags == [])
        #expect(here.fields.tags == [.named("t"), .named("u")])
        #expect(here.fields.version == Version(5) && here.fields.etag == Validator("\"e\""))
        #expect(type != nil && here.fields.representation.contentType == type)
        #expect(here.ttl <= there.ttl && here.ttl > there.ttl - 40, "it does not live longer")
        #expect(here.age + 20 >= there.age && here.age < there.age + 40)
        #expect(stage.here.get("plain").flags == .unfenced)
        stage.invalidate(.tag("u"))
        #expect(stage.here.get("a").status == .miss)
    }

    /// A store that the log orders, as a copy for another replica.
    private static func ordered(_ stage: FillStage, _ key: String) -> SetOperation.Description {
        let record = stage.invalidate(.key(key))
        var description = SetOperation.Description()
        description.token = FillToken(
            position: record.position, incarnation: .none, nonce: 0)
        return description
    }

    @Test func aLifetimeCountsFromWhenThePeerWasAsked() {
        let stage = FillStage("n2")
        var description = SetOperation.Description()
        description.timeToLive = 10_000
        description.token = stage.there.shard.token(for: "a")
        _ = stage.there.shard.set("a", "one", description)
        stage.restart()
        stage.begin()
        stage.run(upTo: "store")
        stage.advance(by: .milliseconds(1_500))
        stage.run()
        let here = stage.here.get("a")
        #expect(here.status == .hit && here.ttl <= 8_500 && here.age >= 1_480)
    }

    // MARK: The fence

    /// When an invalidation comes.
    enum Moment: CaseIterable {
        case beforeTheClaim, beforeTheAnswer, beforeTheStore, afterTheStore
    }

    static let scopes: [Scope] = [
        .key("a"), .tag("t"), .prefix("a"), Scope(.namespace(.default)), .all,
    ]

    @Test(arguments: Moment.allCases, [0, 1, 2, 3, 4])
    func anInvalidationWinsWhenEverItComes(moment: Moment, scope: Int) {
        for strength in [InvalidationRecord.Strength.hard, .soft] {
            for (isHeardHere, isHeardThere) in [(true, true), (true, false), (false, true)] {
                let stage = FillStage("n2")
                _ = stage.there.shard.fill(
                    "a", "old", stage.there.shard.token(for: "a"), tags: [.named("t")])
                stage.restart()
                stage.begin()
                switch moment {
                case .beforeTheClaim: stage.run(upTo: "claim")
                case .beforeTheAnswer: stage.run(upTo: "copies")
                case .beforeTheStore: stage.run(upTo: "store")
                case .afterTheStore: stage.run()
                }
                let record = stage.invalidate(
                    Self.scopes[scope], strength: strength, isHeardHere: isHeardHere,
                    isHeardThere: isHeardThere)
                if isHeardHere { #expect(stage.here.get("a").status == .miss) }
                stage.run()
                if isHeardHere { #expect(stage.here.get("a").status == .miss) }
                // What has not been heard yet is applied later.
                if !isHeardHere { stage.hear(record) }
                #expect(stage.here.get("a").status == .miss, "\(moment) \(strength)")
            }
        }
    }

    /// What the peer has applied already and this node has not: the value from after it comes, and
    /// stays once the record is applied here.
    @Test func aPeerThatIsAheadGivesWhatItLoadedSince() {
        let stage = FillStage("n2")
        stage.restart()
        let record = stage.invalidate(.tag("t"), isHeardHere: false)
        _ = stage.there.shard.fill(
            "a", "new", stage.there.shard.token(for: "a"), tags: [.named("t")])
        stage.begin()
        stage.run()
        #expect(stage.here.get("a").text == "new")
        stage.hear(record)
        #expect(
            stage.here.get("a").status == .miss, "nothing proves here that it is from after that")
    }

    @Test func aPeerThatIsBehindGivesNothingBeforeItHasCaughtUp() {
        let stage = FillStage("n2")
        _ = stage.there.shard.fill("a", "old", stage.there.shard.token(for: "a"))
        _ = stage.there.shard.fill("b", "b", stage.there.shard.token(for: "b"))
        let record = stage.invalidate(.key("a"), isHeardThere: false)
        stage.restart()
        stage.begin()
        stage.run(upTo: "copies")
        stage.step()
        #expect(stage.next.isEmpty, "it waits for the record")
        FillStage.hear(record, stage.there)
        stage.run()
        #expect(stage.here.get("a").status == .miss && stage.here.get("b").text == "b")
    }

    /// A publisher that came back from a backup uses numbers again.
    @Test func aPeerThatFollowsAnotherLogGivesNothing() throws {
        let stage = FillStage("n2")
        _ = stage.there.shard.fill("a", "old", stage.there.shard.token(for: "a"))
        stage.invalidate(.key("x"), isHeardHere: true, isHeardThere: false)
        _ = stage.there.shard.invalidate(.key("y"))
        stage.restart()
        stage.begin()
        stage.run()
        #expect(stage.here.get("a").status == .miss && stage.progress.copiedCount == 0)
        #expect(stage.there.shard.core.statistics.copiesGiven == 0)
    }

    @Test func aFenceThatIsTooOldForThePeerIsTakenAnew() {
        let stage = FillStage("n2")
        _ = stage.there.shard.fill("a", "one", stage.there.shard.token(for: "a"))
        stage.restart()
        stage.begin()
        stage.run(upTo: "copies")
        for number in 0..<5_000 { stage.invalidate(.key("other\(number)")) }
        stage.step()
        stage.run()
        #expect(stage.here.get("a").text == "one")
    }

    @Test func whatWasAskedForInAnotherEpochIsNotStored() {
        let stage = FillStage("n2")
        _ = stage.there.shard.fill("a", "old", stage.there.shard.token(for: "a"))
        stage.restart()
        stage.begin()
        stage.run(upTo: "store")
        stage.here.beginEpoch(2)
        stage.step()
        #expect(stage.here.get("a").status == .miss)
    }

    @Test func whatWasAskedForBeforeAForgettingIsNotStored() {
        let stage = FillStage("n2")
        _ = stage.there.shard.fill("a", "old", stage.there.shard.token(for: "a"))
        stage.restart()
        stage.begin()
        stage.run(upTo: "store")
        let record = stage.invalidate(.key("a"), isHeardHere: false)
        stage.here.goOn(from: record.mark)
        stage.step()
        #expect(stage.here.get("a").status == .miss)
    }

    @Test func aPeerWithoutALeaseGivesNothing() {
        let stage = FillStage("n2")
        _ = stage.there.shard.fill("a", "old", stage.there.shard.token(for: "a"))
        stage.restart()
        stage.begin()
        stage.run(upTo: "copies")
        stage.there.shard.makeLive(for: .zero)
        stage.run()
        #expect(stage.here.get("a").status == .miss && stage.progress.phase == .done)
    }

    @Test func withoutALeaseHereWhatWasCopiedIsNotCalledFresh() {
        let stage = FillStage("n2")
        _ = stage.there.shard.fill("a", "one", stage.there.shard.token(for: "a"))
        stage.restart()
        stage.here.makeLive(for: .zero)
        stage.begin()
        stage.run()
        #expect(stage.here.get("a").flags.contains(.suspect))
        stage.here.makeLive()
        #expect(stage.here.get("a").status == .hit)
    }

    // MARK: What is there already, or comes meanwhile

    @Test func whatAReaderStoredMeanwhileStays() {
        let stage = FillStage("n2")
        _ = stage.there.shard.fill("a", "old", stage.there.shard.token(for: "a"))
        stage.restart()
        stage.begin()
        stage.run(upTo: "store")
        _ = stage.here.fill("a", "new", stage.here.token(for: "a"))
        stage.run()
        #expect(stage.here.get("a").text == "new")
    }

    @Test func aLoadThatIsUnderWayIsNotDisturbed() {
        let stage = FillStage("n2")
        _ = stage.there.shard.fill("a", "old", stage.there.shard.token(for: "a"))
        stage.restart()
        stage.begin()
        stage.run(upTo: "store")
        let token = stage.here.token(for: "a")
        stage.run()
        #expect(stage.here.get("a").status == .miss)
        #expect(stage.here.fill("a", "new", token).status == .stored)
        #expect(stage.here.get("a").text == "new")
    }

    @Test func aKeyWithWritesInTheQueueIsLeftAlone() {
        let stage = FillStage("n2")
        _ = stage.there.shard.fill("a", "old", stage.there.shard.token(for: "a"))
        _ = stage.there.shard.fill("b", "old", stage.there.shard.token(for: "b"))
        stage.restart()
        stage.here.core.hold(Self.line("a"))
        stage.there.shard.core.hold(Self.line("b"))
        stage.begin()
        stage.run()
        #expect(stage.progress.copiedCount == 0)
    }

    private static func line(_ key: String) -> WriteLine {
        WriteLine(namespace: .default, key: .named(key))
    }

    @Test func whatThePeerDoesNotShowAsFreshIsNotCopied() {
        let stage = FillStage("n2")
        stage.there.shard.readThrough { policy, origin in
            policy.staleWindow = .seconds(600)
            origin.staleIfError = .seconds(600)
        }
        _ = stage.there.shard.end(
            stage.there.shard.ask("past"), .text("past") { $0.lifetime = .seconds(1) })
        _ = stage.there.shard.end(stage.there.shard.ask("soft"), .text("soft"))
        _ = stage.there.shard.end(stage.there.shard.ask("none"), .none(for: .seconds(600)))
        stage.invalidate(.key("soft"), strength: .soft)
        stage.advance(by: .seconds(5))
        stage.restart()
        stage.here.readThrough()
        stage.begin()
        stage.run()
        #expect(stage.progress.copiedCount == 0 && stage.progress.phase == .done)
    }

    @Test func theTermsOfALoadComeWithIt() {
        let stage = FillStage("n2")
        stage.there.shard.readThrough { _, origin in origin.staleIfError = .seconds(600) }
        _ = stage.there.shard.end(
            stage.there.shard.ask("a"), .text("one") { $0.lifetime = .seconds(10) })
        stage.restart()
        stage.here.readThrough()
        stage.begin()
        stage.run()
        #expect(stage.here.get("a").text == "one" && stage.here.takeLoads().isEmpty)
        stage.advance(by: .seconds(11))
        let answers = stage.here.end(stage.here.ask("a"), .error(.unavailable))
        #expect(answers.map(\.text) == ["one"] && answers[0].status == .stale)
    }

    /// It may be from before an invalidation, and lives no longer than replicas lag.
    @Test func whatALaggingReplicaMayHaveGivenIsNotCopied() {
        let stage = FillStage("n2")
        var policy = NamespacePolicy()
        policy.replicaLag = .seconds(2)
        stage.there.shard.core.configure([:], fallback: policy)
        stage.advance(by: .seconds(60))
        stage.invalidate(.key("a"))
        _ = stage.there.shard.fill("a", "old?", stage.there.shard.token(for: "a"))
        _ = stage.there.shard.fill("b", "b", stage.there.shard.token(for: "b"))
        stage.restart()
        stage.here.core.configure([:], fallback: policy)
        stage.begin()
        stage.run()
        #expect(stage.here.get("a").status == .miss && stage.here.get("b").text == "b")
    }

    /// A tag that has no name there could not hide it here.
    @Test func anEntryWithATagThatHasNoNameIsNotCopied() {
        let stage = FillStage("n2")
        var limits = MemoryTierLimits(residentBytesMax: 64 << 20)
        limits.tagsMax = 1
        stage.there.shard = ShardHarness(isReplicated: true) { $0.tierLimits = limits }
        for key in ["a", "b", "c"] {
            _ = stage.there.shard.fill(
                key, key, stage.there.shard.token(for: key), tags: [.named("of-\(key)")])
        }
        stage.restart()
        stage.begin()
        stage.run()
        let copied = ["a", "b", "c"].filter { stage.here.get($0).status == .hit }
        #expect(copied.count < 3)
        for key in copied {
            stage.invalidate(.tag("of-\(key)"))
            #expect(stage.here.get(key).status == .miss)
        }
    }

    // MARK: Large values, and room

    @Test func aValueOfSeveralFramesComesWhole() {
        let stage = FillStage("n2")
        let value = String(repeating: "0123456789abcdef", count: 80_000)
        Self.store(value, under: "large", in: stage)
        stage.restart()
        stage.begin()
        stage.run()
        #expect(stage.progress.copiedCount == 1 && stage.progress.copiedBytes == value.utf8.count)
        #expect(stage.here.get("large").fields.whole?.totalBytes == value.utf8.count)
    }

    @Test func aValueThatChangesBetweenItsPartsIsNotCopied() {
        let stage = FillStage("n2")
        Self.store(String(repeating: "a", count: 1_200_000), under: "large", in: stage)
        stage.restart()
        stage.begin()
        stage.run(upTo: "copies")
        stage.step()
        #expect(stage.next == "copies n2", "it goes on with the next part")
        stage.invalidate(.key("large"), isHeardHere: false)
        Self.store(String(repeating: "b", count: 1_200_000), under: "large", in: stage)
        stage.run()
        #expect(stage.here.get("large").status == .miss)
    }

    private static func store(_ value: String, under key: String, in stage: FillStage) {
        let bytes = Array(value.utf8)
        var offset = 0
        while offset < bytes.count {
            let chunk = Array(bytes[offset..<min(bytes.count, offset + 512 << 10)])
            _ = stage.there.shard.only(
                stage.there.shard.frame(.chunk, count: 1) { writer in
                    chunk.withUnsafeBytes {
                        ChunkOperation.append(
                            uploadID: 9, totalBytes: bytes.count, offset: offset, bytes: $0,
                            to: &writer)
                    }
                })
            offset += chunk.count
        }
        var description = SetOperation.Description()
        description.token = stage.there.shard.token(for: key)
        description.upload = SetOperation.Upload(id: 9, totalBytes: bytes.count)
        _ = stage.there.shard.set(key, "", description)
    }

    @Test func aLargeValueThatFindsNoRoomEndsNothing() {
        let stage = FillStage("n2")
        Self.store(String(repeating: "a", count: 3_000_000), under: "large", in: stage)
        for number in 0..<200 {
            let key = "k\(number)"
            _ = stage.there.shard.fill(key, "v", stage.there.shard.token(for: key))
        }
        stage.restart()
        stage.here = ShardHarness(isReplicated: true, memoryBytes: 2 << 20)
        stage.here.now = stage.there.shard.now
        stage.begin()
        stage.run()
        #expect(stage.here.get("large").status == .miss)
        #expect((0..<200).allSatisfy { stage.here.get("k\($0)").status == .hit })
    }

    @Test func nothingIsEvictedForACopy() {
        let stage = FillStage("n2")
        let value = String(repeating: "v", count: 10_000)
        for number in 0..<1_000 {
            _ = stage.there.shard.fill(
                "k\(number)", value, stage.there.shard.token(for: "k\(number)"))
        }
        stage.restart()
        stage.here = ShardHarness(isReplicated: true, memoryBytes: 2 << 20)
        stage.here.now = stage.there.shard.now
        _ = stage.here.fill("own", "own", stage.here.token(for: "own"))
        stage.begin()
        stage.run()
        let copies = stage.progress.copiedCount
        #expect(copies > 50 && copies < 300 && stage.progress.phase == .done)
        let figures = Self.figures(&stage.here)
        #expect(figures["removed_evicted"] == 0 && figures["entries"] == UInt64(copies + 1))
    }

    private static func figures(_ shard: inout ShardHarness) -> [String: UInt64] {
        do {
            let report = try shard.answered(shard.frame(.status, count: 0) { _ in }) {
                try StatusReport(decoding: $0)
            }
            return Dictionary(report.figures.map { ($0.name, $0.value) }) { first, _ in first }
        } catch {
            preconditionFailure("a shard tells its figures: \(error)")
        }
    }

    /// Its readers' hit ratio and its eviction policy do not notice.
    @Test func aCopyIsNoUseOfThePeersEntry() {
        let stage = FillStage("n2")
        for number in 0..<20 {
            _ = stage.there.shard.fill(
                "k\(number)", "v", stage.there.shard.token(for: "k\(number)"))
        }
        let before = stage.there.shard.core.statistics
        let figures = Self.figures(&stage.there.shard)
        stage.restart()
        stage.begin()
        stage.run()
        let after = stage.there.shard.core.statistics
        #expect(after.reads == before.reads && after.copiesGiven == 20)
        #expect(Self.figures(&stage.there.shard)["hits"] == figures["hits"])
    }

    // MARK: A disk tier here

    @Test func whatIsOnThisNodesDiskIsNotCopied() {
        let disk = DiskHarness(isReplicated: true)
        _ = disk.shard.fill("a", "one", disk.shard.token(for: "a"))
        disk.settle()
        let next = DiskHarness(afterKillOf: disk, isReplicated: true)
        let claimed = next.shard.core.claim(
            [.named("a"), .named("b")], in: .default, now: next.shard.now)
        #expect(claimed?.missing == [1])
    }
}
