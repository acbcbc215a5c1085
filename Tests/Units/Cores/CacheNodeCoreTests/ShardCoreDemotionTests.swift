import CacheDisk
import CacheModel
import CacheNodeCore
import CacheSimulation
import CacheWire
import Testing

/// What memory evicts once the ring of the disk tier has gone round.
@Suite struct ShardCoreDemotionTests {
    /// A node whose disk has no free segment left and whose memory is empty.
    private static func wrapped(writeBytesPerSecond: Int? = nil) -> DiskHarness {
        let node = DiskHarness(
            geometry: DiskHarness.smallGeometry, writeBytesPerSecond: writeBytesPerSecond)
        node.invalidate(.key("other"))
        node.checkpoint()
        node.goRound()
        node.evictAll()
        return node
    }

    /// Loads a key as an application does, and asks for it once more.
    private static func load(
        _ key: String, _ value: String, on node: DiskHarness,
        _ description: SetOperation.Description = .init(), _ shape: RequestShape = RequestShape()
    ) {
        _ = node.ask(node.shard.getFrame([key], [], shape))
        _ = node.set(key, value, description, shape)
        _ = node.ask(node.shard.getFrame([key], [], shape))
    }

    @Test func anEvictedEntryReadTwiceReturnsFromDiskUnchanged() throws {
        let node = Self.wrapped()
        var description = SetOperation.Description(
            timeToLive: 60_000, version: Version(9), tags: [.named("x"), .named("y")])
        description.etag = Validator("\"abc\"")
        Self.load("a", "one", on: node, description)
        node.shard.advance(by: .seconds(2))
        node.evictAll()
        let found = try #require(node.get("a"))
        #expect(found.status == .hit && found.text == "one")
        #expect((57_900...58_000).contains(found.ttl))
        #expect((1_960...2_040).contains(found.age))
        #expect(found.fields.version == Version(9))
        #expect(found.fields.etag == Validator("\"abc\""))
        #expect(found.fields.tags == [.named("x"), .named("y")])
        #expect(found.flags.contains(.unfenced))
        #expect(node.figure("disk_demoted") == 1)
    }

    @Test func whatWasAskedForOnceIsGone() {
        let node = Self.wrapped()
        _ = node.get("a")
        _ = node.set("a", "one")
        let before = node.figure("disk_declined_rare")
        node.evictAll()
        #expect(node.figure("disk_declined_rare") == before + 1)
        #expect(node.getAtOnce("a").status == .miss)
    }

    @Test func aStoreAfterTheWrapIsNotWritten() {
        let node = Self.wrapped()
        let before = node.figure("disk_appended")
        for index in 0..<50 { Self.load("k\(index)", "v", on: node) }
        #expect(node.figure("disk_appended") == before)
    }

    @Test func aCleanCopyIsNotWrittenAgain() {
        let node = Self.wrapped()
        Self.load("a", "one", on: node)
        node.evictAll()
        let (appended, clean) = (
            node.figure("disk_appended"), node.figure("disk_demoted_clean")
        )
        for _ in 0..<3 {
            #expect(node.get("a")?.text == "one")
            node.evictAll()
        }
        #expect(node.figure("disk_appended") == appended)
        #expect(node.figure("disk_demoted_clean") == clean + 3)
    }

    @Test func namespacesKeepTheirNames() throws {
        let node = Self.wrapped()
        let images = RequestShape(namespace: try #require(Namespace("images")))
        // A miss counts for its key once something was stored in its namespace.
        _ = node.set("other", "picture", .init(), images)
        Self.load("a", "picture", on: node, .init(), images)
        Self.load("a", "plain", on: node)
        node.evictAll()
        #expect(node.ask(node.shard.getFrame(["a"], [], images))?.text == "picture")
        #expect(node.get("a")?.text == "plain")
    }

    /// The record lies on disk, and memory alone has what replaced it.
    private static func replaced(_ node: DiskHarness) {
        load("a", "one", on: node)
        node.evictAll()
        node.settle()
        _ = node.set("a", "two")
    }

    @Test func whatReplacesARecordIsEvictedWithoutBringingItBack() {
        let node = Self.wrapped()
        Self.replaced(node)
        #expect(node.getAtOnce("a").text == "two")
        node.evictAll()
        #expect(node.get("a")?.text == "two")
    }

    @Test func aKillAfterTheReplacementDoesNotBringTheRecordBack() {
        let node = Self.wrapped()
        Self.replaced(node)
        let next = DiskHarness(afterKillOf: node)
        next.join()
        #expect(next.get("a")?.status == .miss)
    }

    @Test func whatWasDemotedIsThereAfterAKill() {
        let node = Self.wrapped()
        Self.load("a", "one", on: node)
        node.evictAll()
        let next = DiskHarness(afterKillOf: node)
        next.join()
        #expect(next.get("a")?.text == "one")
    }

    @Test func aFullRingAppliesAdmissionImmediatelyAfterARestart() {
        let node = Self.wrapped()
        let next = DiskHarness(afterKillOf: node)
        next.join()
        next.settle()
        let before = next.figure("disk_appended")
        Self.load("a", "one", on: next)
        _ = next.set("b", "two")
        #expect(next.figure("disk_appended") == before)
        next.evictAll()
        #expect(next.get("a")?.text == "one")
        #expect(next.getAtOnce("b").status == .miss)
    }

    @Test(arguments: [Scope.key("a"), .tag("x"), .prefix("a"), .all])
    func whatWasInvalidatedBeforeItsEvictionIsNotKept(scope: Scope) {
        let node = Self.wrapped()
        Self.load("a", "one", on: node, .init(tags: [.named("x")]))
        node.invalidate(scope)
        node.evictAll()
        #expect(node.get("a")?.status == .miss)
        #expect(node.figure("disk_demoted") == 0)
    }

    @Test(arguments: [Scope.key("a"), .tag("x"), .prefix("a"), .all])
    func whatIsInvalidatedAfterItsEvictionDoesNotComeBack(scope: Scope) {
        let node = Self.wrapped()
        Self.load("a", "one", on: node, .init(tags: [.named("x")]))
        node.evictAll()
        node.invalidate(scope)
        #expect(node.get("a")?.status == .miss)
    }

    @Test func whatIsStaleOrOverIsNotKept() {
        let node = Self.wrapped()
        Self.load("a", "one", on: node, .init(tags: [.named("x")]))
        Self.load("b", "two", on: node, .init(timeToLive: 1_000))
        node.invalidate(.tag("x"), strength: .soft)
        node.shard.advance(by: .seconds(2))
        node.evictAll()
        #expect(node.figure("disk_demoted") == 0)
    }

    @Test func aTouchIsNoAdmissionButReachesWhatIsThere() throws {
        let node = Self.wrapped()
        let before = node.figure("disk_appended")
        Self.load("a", "one", on: node, .init(timeToLive: 600_000))
        #expect(node.ask(node.shard.touchFrame("a", ttl: 700_000))?.status == .touched)
        #expect(node.figure("disk_appended") == before)
        node.evictAll()
        #expect(node.ask(node.shard.touchFrame("a", ttl: 20_000))?.status == .touched)
        let next = DiskHarness(afterKillOf: node)
        next.join()
        #expect((19_900...20_000).contains(try #require(next.get("a")).ttl))
    }

    @Test func aRenewalReachesWhatIsOnDisk() throws {
        let node = Self.wrapped()
        var description = SetOperation.Description(timeToLive: 10_000, tags: [.named("x")])
        description.etag = Validator("\"abc\"")
        Self.load("a", "one", on: node, description)
        node.evictAll()
        node.invalidate(.tag("x"), strength: .soft)
        let token = try #require(node.ask(node.shard.getFrame(["a"], .token))?.fields.token)
        var renewal = SetOperation.Description(timeToLive: 90_000)
        (renewal.token, renewal.etag, renewal.options) = (token, Validator("\"abc\""), .renew)
        #expect(node.ask(node.shard.setFrame("a", "", renewal))?.status == .stored)
        let next = DiskHarness(afterKillOf: node)
        next.join()
        let found = try #require(next.get("a"))
        #expect(found.status == .hit && found.text == "one" && found.ttl > 80_000)
    }

    @Test func aBudgetOfBytesIsKeptAndOnlyForWhatIsEvicted() {
        let node = Self.wrapped(writeBytesPerSecond: 2_000)
        #expect(node.figure("disk_declined_budget") == 0, "stores in free segments are not held")
        let value = String(repeating: "v", count: 460)
        for index in 0..<20 { Self.load("k\(index)", value, on: node) }
        node.evictAll()
        #expect(node.figure("disk_demoted") == 4)
        #expect(node.figure("disk_declined_budget") == 16)
        for index in 0..<20 { Self.load("l\(index)", value, on: node) }
        node.shard.advance(by: .milliseconds(500))
        node.evictAll()
        #expect(node.figure("disk_demoted") == 6)
    }

    @Test func anotherEpochFreesTheRingAndStoresAreWrittenAtOnce() {
        let node = Self.wrapped()
        Self.load("a", "one", on: node)
        node.shard.beginEpoch(2)
        node.settle()
        node.evictAll()
        let (appended, demoted) = (node.figure("disk_appended"), node.figure("disk_demoted"))
        #expect(demoted == 0, "what was filled in another epoch is not kept")
        _ = node.set("b", "two")
        #expect(node.figure("disk_appended") == appended + 1)
        node.evictAll()
        #expect(node.get("a")?.status == .miss)
        #expect(node.get("b")?.text == "two")
    }

    @Test func aTierThatFailsIsToldNothingMore() {
        let node = Self.wrapped()
        Self.load("a", "one", on: node)
        node.shard.core.diskWasLost(.noRoom, now: node.shard.now)
        node.evictAll()
        #expect(node.getAtOnce("a").status == .miss)
        #expect(node.figure("disk_open") == 0)
    }
}
