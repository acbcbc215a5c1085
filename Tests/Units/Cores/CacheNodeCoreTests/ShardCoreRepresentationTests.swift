import ByteCoding
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// What is said of a value's bytes comes back with it, whoever stored it and wherever it lay.
@Suite struct ShardCoreRepresentationTests {
    private static let css = Representation(
        contentType: RepresentationField("text/css; charset=utf-8"),
        contentEncoding: RepresentationField("gzip"),
        contentLanguage: RepresentationField("de, en"))

    private static func said(_ type: String) -> Representation {
        Representation(contentType: RepresentationField(type))
    }

    private static func description(_ representation: Representation) -> SetOperation.Description {
        var description = SetOperation.Description()
        description.representation = representation
        return description
    }

    // MARK: Stores

    @Test func aStoredRepresentationIsReturnedToReadersAskingForDetails() {
        var shard = ShardHarness()
        #expect(shard.set("a", "one", Self.description(Self.css)).status == .stored)
        let found = shard.get("a", .details)
        #expect(found.text == "one" && found.fields.representation == Self.css)
        #expect(shard.get("a").fields.representation.isEmpty, "nobody asked")
        #expect(shard.set("a", "two").status == .stored)
        #expect(shard.get("a", .details).fields.representation.isEmpty)
    }

    @Test func aChunkedValueCarriesItsRepresentationInTheFirstPart() {
        var shard = ShardHarness()
        let value = [UInt8](repeating: 7, count: WireLimits.chunkBytesMax + 10)
        for offset in stride(from: 0, to: value.count, by: WireLimits.chunkBytesMax) {
            let end = min(value.count, offset + WireLimits.chunkBytesMax)
            let frame = shard.frame(.chunk, count: 1) { writer in
                Array(value[offset..<end]).withUnsafeBytes {
                    ChunkOperation.append(
                        uploadID: 5, totalBytes: value.count, offset: offset, bytes: $0,
                        to: &writer)
                }
            }
            #expect(shard.only(frame).status == .received)
        }
        var description = Self.description(Self.css)
        description.upload = SetOperation.Upload(id: 5, totalBytes: value.count)
        #expect(shard.set("big", "", description).status == .stored)
        let first = shard.get("big", .details)
        #expect(first.fields.whole?.totalBytes == value.count)
        #expect(first.fields.representation == Self.css)
    }

    @Test func aFieldThatCouldEndALineIsRefused() {
        var shard = ShardHarness()
        let good = shard.setFrame("a", "one", Self.description(Self.said("text/css")))
        let bad = good.map { $0 == UInt8(ascii: "/") ? 10 : $0 }
        #expect(shard.only(bad).refusal == .outOfRange)
        #expect(shard.get("a").status == .miss)
    }

    @Test func explainTellsIt() throws {
        var shard = ShardHarness()
        _ = shard.set("a", "one", Self.description(Self.css))
        let frame = shard.frame(.explain, count: 0) { writer in
            writer.append(UInt16(1))
            writer.append(UInt8(ascii: "a"))
        }
        guard case .explanation(let explanation)? = shard.send(frame).first else {
            Issue.record("it was not explained")
            return
        }
        #expect(explanation.entry?.representation == Self.css)
    }

    // MARK: Loads

    @Test func whatWasLoadedHasWhatItsOriginSaid() {
        var shard = ShardHarness()
        shard.readThrough()
        let load = shard.ask("a", .details)
        let told = shard.end(load, .text("one") { $0.representation = Self.css })
        #expect(told.map(\.fields.representation) == [Self.css])
        #expect(shard.get("a", .details).fields.representation == Self.css)
    }

    /// For its readers alone: it is not kept.
    @Test func whatMustNotBeKeptHasItAsWell() {
        var shard = ShardHarness()
        shard.readThrough()
        let told = shard.end(
            shard.ask("a", .details),
            .text("one") {
                $0.representation = Self.css
                $0.mayStore = false
            })
        #expect(told.map(\.fields.representation) == [Self.css])
    }

    @Test func a304UpdatesTypeAndLanguageAndLeavesTheRest() {
        var shard = ShardHarness()
        shard.readThrough { policy, _ in policy.timeToLive = .seconds(10) }
        let text = String(repeating: "x", count: 3_000)
        _ = shard.end(
            shard.ask("a"),
            .text(text) {
                $0.validator = Validator("\"1\"")
                $0.tags = [.named("t")]
                $0.representation = Self.css
            })
        shard.advance(by: .seconds(11))
        var facts = LoadedFacts()
        facts.representation = Representation(
            contentType: RepresentationField("text/plain"),
            contentEncoding: RepresentationField("br"))
        let answers = shard.end(shard.ask("a", .details), .unchanged(facts))
        #expect(answers.map(\.text) == [text])
        let found = shard.get("a", .details)
        #expect(found.status == .hit && found.text == text)
        #expect(found.fields.representation.contentType?.text == "text/plain")
        #expect(found.fields.representation.contentEncoding?.text == "gzip", "as it came")
        #expect(found.fields.representation.contentLanguage?.text == "de, en")
        #expect(found.fields.tags == [.named("t")] && found.fields.etag == Validator("\"1\""))
    }

    @Test func everyNodeOfAReplicatedClusterHasWhatTheOwnerLoaded() {
        let stage = PeerStage(3)
        let key = stage.key(ownedBy: 1)
        for index in 0..<3 { stage.get(key, at: index) }
        stage.settle()
        stage.answer(.text("one") { $0.representation = Self.css })
        for index in 0..<3 {
            let held = stage.nodes[index].shard.get(key, .details)
            #expect(held.text == "one" && held.fields.representation == Self.css)
        }
    }

    // MARK: Writes and disks

    @Test func aWriteTellsItsOrigin() {
        var shard = ShardHarness()
        shard.readThrough { _, origin in origin.writesBehind = true }
        #expect(shard.send(shard.setFrame("a", "one", Self.description(Self.css))).isEmpty)
        #expect(shard.takeWrites().map(\.write.representation) == [Self.css])
    }

    @Test func whatMemoryLetGoHasItFromTheDisk() throws {
        let node = DiskHarness()
        #expect(node.set("a", "one", Self.description(Self.css)) == .stored)
        #expect(node.set("b", "two") == .stored)
        node.evictAll()
        let read = try #require(node.ask(node.shard.getFrame(["a"], .details)))
        #expect(read.text == "one" && read.detail == Tier.disk.rawValue)
        #expect(read.fields.representation == Self.css)
        let plain = try #require(node.ask(node.shard.getFrame(["b"], .details)))
        #expect(plain.text == "two" && plain.fields.representation.isEmpty)
    }
}
