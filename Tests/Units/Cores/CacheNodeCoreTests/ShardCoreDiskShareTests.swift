import CacheDisk
import CacheModel
import CacheNodeCore
import CacheSimulation
import CacheWire
import Testing

/// What of the disk a namespace may take: docs/decisions/0104.
@Suite struct ShardCoreDiskShareTests {
    private static let images: RequestShape = {
        guard let namespace = Namespace("images") else { preconditionFailure("it is a name") }
        return RequestShape(namespace: namespace)
    }()
    private static let value = String(repeating: "v", count: 400)

    /// The publisher has told that share of the namespace `images`.
    private static func setShare(_ hundredths: Int, on node: DiskHarness) {
        var policy = NamespacePolicy()
        policy.diskMost = Percent(hundredths) ?? .all
        node.shard.core.configure(
            [images.namespace: policy], fallback: NamespacePolicy())
    }

    private static func node() -> DiskHarness {
        let node = DiskHarness(geometry: DiskHarness.smallGeometry)
        node.invalidate(.key("other"))
        node.checkpoint()
        return node
    }

    private static func get(_ key: String, _ node: DiskHarness) -> ShardHarness.Outcome? {
        node.ask(node.shard.getFrame([key], [], images))
    }

    @discardableResult
    private static func set(_ key: String, _ value: String, _ node: DiskHarness) -> ResultStatus {
        node.set(key, value, .init(), images)
    }

    // MARK: Nothing

    @Test func nothingOfANamespaceWithoutAShareIsWritten() {
        let node = Self.node()
        Self.setShare(0, on: node)
        let before = [node.figure("disk_appended"), node.figure("disk_tombstones")]
        for number in 0..<20 { #expect(Self.set("k\(number)", Self.value, node) == .stored) }
        #expect(Self.get("k3", node)?.text == Self.value, "memory has it")
        node.evictAll()
        node.settle()
        #expect([node.figure("disk_appended"), node.figure("disk_tombstones")] == before)
        #expect(node.figure("disk_declined_share") == 40, "stored, and evicted")
        #expect(node.figure("namespace_disk_declined:images") == 40)
        #expect(node.figure("disk_stores_shed") == 0)
        #expect(Self.get("k3", node)?.status == .miss)
        _ = node.set("k3", "plain")
        #expect(node.figure("disk_appended") == before[0] + 1, "others are written")
    }

    @Test(arguments: [true, false])
    func anOverwrittenValueNeverComesBackIfItsStoreWasDeclined(isKilled: Bool) {
        var node = Self.node()
        Self.set("a", "one", node)
        node.settle()
        Self.setShare(0, on: node)
        #expect(Self.set("a", "two", node) == .stored)
        #expect(Self.get("a", node)?.text == "two")
        if isKilled {
            node = DiskHarness(afterKillOf: node)
            node.join()
        } else {
            node.evictAll()
        }
        #expect(Self.get("a", node)?.status == .miss)
    }

    @Test func whatStillLiesThereIsServedOnceAndRemoved() {
        let node = Self.node()
        Self.set("a", "one", node)
        node.settle()
        node.evictAll()
        Self.setShare(0, on: node)
        #expect(Self.get("a", node)?.text == "one")
        #expect(Self.get("a", node)?.text == "one", "memory has it")
        #expect(node.figure("disk_promoted") == 1)
        let next = DiskHarness(afterKillOf: node)
        next.join()
        #expect(Self.get("a", next)?.status == .miss)
        node.evictAll()
        #expect(Self.get("a", node)?.status == .miss)
    }

    @Test func aTouchThatIsDeclinedLeavesNoOlderExpiry() {
        let node = Self.node()
        _ = node.set("a", "one", .init(timeToLive: 600_000))
        node.settle()
        var policy = NamespacePolicy()
        policy.diskMost = .none
        node.shard.core.configure([.default: policy], fallback: NamespacePolicy())
        #expect(node.ask(node.shard.touchFrame("a", ttl: 20_000))?.status == .touched)
        let next = DiskHarness(afterKillOf: node)
        next.join()
        #expect(next.get("a")?.status == .miss)
    }

    // MARK: A share

    @Test func aFullDiskShareKeepsStoresInMemoryAndIsReported() {
        let node = Self.node()
        Self.setShare(20, on: node)
        for number in 0..<200 {
            Self.set("k\(number)", Self.value, node)
            node.settle()
        }
        let bound = DiskHarness.smallGeometry.ringBytes / 5
        #expect(node.figure("namespace_disk_bytes_max:images") == UInt64(bound))
        let taken = node.figure("namespace_disk_bytes:images")
        #expect(taken <= UInt64(bound) && taken > UInt64(bound) - 600)
        let declined = node.figure("namespace_disk_declined:images")
        #expect(declined > 100 && node.figure("disk_declined_share") == declined)
        #expect(Self.get("k199", node)?.text == Self.value)
        // Those that were evicted have no room either; a budget of writes is not spent on them.
        node.evictAll()
        #expect(Self.get("k1", node)?.text == Self.value)
        #expect(Self.get("k199", node)?.status == .miss)
        #expect(node.figure("disk_demoted") == 0)
        #expect(node.figure("namespace_disk_bytes:images") <= UInt64(bound))
    }

    @Test func aShareHoldsOverAKill() {
        let node = Self.node()
        Self.setShare(20, on: node)
        for number in 0..<200 {
            Self.set("k\(number)", Self.value, node)
            node.settle()
        }
        let taken = node.figure("namespace_disk_bytes:images")
        let next = DiskHarness(afterKillOf: node)
        next.join()
        Self.setShare(20, on: next)
        #expect(next.figure("namespace_disk_bytes:images") == taken)
        Self.set("more", Self.value, next)
        #expect(next.figure("namespace_disk_declined:images") == 1)
        #expect(Self.get("k1", next)?.text == Self.value)
    }

    @Test func aShareThatIsGivenUpBoundsNothing() {
        let node = Self.node()
        Self.setShare(0, on: node)
        Self.set("a", "one", node)
        node.shard.core.configure([:], fallback: NamespacePolicy())
        Self.set("b", "two", node)
        node.evictAll()
        #expect(Self.get("a", node)?.text == "one", "it was written when it was evicted")
        #expect(Self.get("b", node)?.text == "two")
        #expect(node.figure("disk_declined_share") == 1)
    }

    /// Most entries are written when they are stored; these only when memory evicts them.
    @Test func whatIsWrittenWhenItIsEvictedComesBackAsItWas() throws {
        let node = Self.node()
        Self.setShare(0, on: node)
        var description = SetOperation.Description(
            timeToLive: 60_000, version: Version(9), tags: [.named("x"), .named("y")])
        description.etag = Validator("\"abc\"")
        let representation = Representation(
            contentType: RepresentationField("text/css"),
            contentEncoding: RepresentationField("gzip"),
            contentLanguage: RepresentationField("de"))
        description.representation = representation
        #expect(node.set("a", "one", description, Self.images) == .stored)
        node.shard.core.configure([:], fallback: NamespacePolicy())
        node.shard.advance(by: .seconds(2))
        node.evictAll()
        let found = try #require(node.ask(node.shard.getFrame(["a"], .details, Self.images)))
        #expect(found.text == "one" && found.detail == Tier.disk.rawValue)
        #expect(found.fields.representation == representation)
        #expect((57_900...58_000).contains(found.ttl))
        #expect((1_980...2_020).contains(found.age))
        #expect(found.fields.version == Version(9))
        #expect(found.fields.etag == Validator("\"abc\""))
        #expect(found.fields.tags == [.named("x"), .named("y")])
        #expect(found.flags.contains(.unfenced))
    }

    /// The file was given up, and another one begun.
    @Test func aTierThatBeginsAnewHasTheShares() {
        let node = Self.node()
        Self.setShare(0, on: node)
        node.shard.core.diskWasLost(.noRoom, now: node.shard.now)
        node.take()
        node.queue.removeAll()
        node.file = SimulatedTierFile(node.geometry)
        node.attach(writtenBy: nil)
        node.settle()
        Self.set("a", "one", node)
        #expect(node.figure("disk_open") == 1 && node.figure("disk_appended") == 0)
        #expect(node.figure("disk_declined_share") == 1)
    }
}
