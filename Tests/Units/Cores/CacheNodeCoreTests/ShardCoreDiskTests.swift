import ByteCoding
import CacheDisk
import CacheModel
import CacheNodeCore
import CacheSimulation
import CacheWire
import Testing

@Suite struct ShardCoreDiskTests {
    /// Memory for a few hundred entries of the fillers' size.
    static let memoryBytes = 2 << 20

    private static func crowded(
        _ body: (DiskHarness) -> Void
    ) -> DiskHarness {
        let node = DiskHarness(memoryBytes: memoryBytes)
        body(node)
        node.crowdOut()
        return node
    }

    /// As a get finds it.
    @Test func whatIsOnlyOnDiskIsExplained() throws {
        let node = Self.crowded { _ = $0.set("a", "one", .init(version: Version(4))) }
        let frame = node.shard.frame(.explain, count: 0) { writer in
            writer.append(UInt16(1))
            writer.append(UInt8(ascii: "a"))
        }
        #expect(node.send(frame).isEmpty)
        node.settle()
        guard case .explanation(let found)? = node.finishWaiting().first else {
            Issue.record("it was not explained")
            return
        }
        #expect(found.entry?.version == Version(4))
        #expect(found.entry?.valueBytes == 3)
    }

    @Test func whatIsOnlyOnDiskIsCompared() throws {
        let node = Self.crowded { _ = $0.set("a", "one") }
        node.shard.core.configure([.default: ShardHarness.policy()], fallback: NamespacePolicy())
        let frame = node.shard.frame(.compare, count: 0) { writer in
            writer.append(UInt16(1))
            writer.append(UInt8(ascii: "a"))
        }
        #expect(node.send(frame).isEmpty)
        node.settle()
        #expect(node.finishWaiting().isEmpty)
        let question = try #require(node.shard.takeLoads().first)
        let now = node.shard.now
        var effects: [ShardEffect] = []
        node.shard.core.loadEnded(question.number, .text("one"), now: now, effects: &effects)
        guard case .comparison(let found)? = node.finishWaiting().first else {
            Issue.record("it was not compared")
            return
        }
        #expect(found.verdict == .same && found.isUnfenced)
    }

    @Test func whatMemoryLetGoComesBackFromTheDiskAsItWas() throws {
        let node = Self.crowded { node in
            var description = SetOperation.Description(
                timeToLive: 60_000, version: Version(9), tags: [.named("x"), .named("y")])
            description.etag = Validator("\"abc\"")
            _ = node.set("a", "one", description)
            node.shard.advance(by: .seconds(2))
        }
        let found = try #require(node.get("a"))
        #expect(found.status == .hit)
        #expect(found.text == "one")
        #expect((57_900...58_000).contains(found.ttl))
        #expect((1_980...2_020).contains(found.age))
        #expect(found.fields.version == Version(9))
        #expect(found.fields.etag == Validator("\"abc\""))
        #expect(found.fields.tags == [.named("x"), .named("y")])
        #expect(found.flags.contains(.unfenced))
        // It is in memory now.
        #expect(node.getAtOnce("a").text == "one")
    }

    /// `detail` of a HIT, as docs/protocol.md has it.
    @Test func anAnswerSaysWhichTierItWasFoundIn() throws {
        let node = DiskHarness()
        for key in ["a", "b"] { #expect(node.set(key, "one") == .stored) }
        #expect(try #require(node.get("a")).detail == Tier.memory.rawValue)
        node.evictAll()
        #expect(try #require(node.get("a")).detail == Tier.disk.rawValue)
        #expect(try #require(node.get("a")).detail == Tier.memory.rawValue, "it is there now")
        // Read for a message that does not answer with it, and replaced meanwhile.
        _ = node.ask(node.shard.setFrame("b", "two", .init(version: Version(7))))
        #expect(try #require(node.get("b")).detail == Tier.memory.rawValue)
    }

    @Test func namespacesAreRoomsOfTheirOwnOnDisk() throws {
        let images = RequestShape(namespace: try #require(Namespace("images")))
        let node = Self.crowded { node in
            _ = node.set("a", "picture", .init(), images)
            _ = node.set("a", "plain")
        }
        #expect(node.ask(node.shard.getFrame(["a"], [], images))?.text == "picture")
        #expect(node.get("a")?.text == "plain")
    }

    @Test func aKeyThatWasNeverStoredIsAMissAtOnce() {
        let node = Self.crowded { _ in }
        #expect(node.getAtOnce("never").status == .miss)
    }

    @Test func aBatchWaitsForItsDiskReadsAndKeepsItsOrder() throws {
        let node = Self.crowded { node in
            for index in 0..<20 { _ = node.set("k\(index)", "v\(index)") }
        }
        let frame = node.getFrame((0..<40).map { "k\($0)" })
        #expect(node.send(frame).isEmpty)
        node.settle()
        guard case .results(_, let outcomes) = node.finishWaiting().first else {
            Issue.record("a batch is answered with results")
            return
        }
        for (index, outcome) in outcomes.enumerated() {
            #expect(outcome.status == (index < 20 ? .hit : .miss))
            #expect(outcome.text == (index < 20 ? "v\(index)" : ""))
        }
    }

    @Test func readsOfOneKeyAreJoined() {
        let node = Self.crowded { node in _ = node.set("a", "one") }
        let first = node.getFrame(["a"])
        let second = node.getFrame(["a"])
        #expect(node.send(first).isEmpty)
        #expect(node.send(second).isEmpty)
        node.take()
        #expect(node.queue.count == 1)
        node.settle()
        #expect(node.finishWaiting().count == 2)
    }

    @Test(arguments: [
        Scope.key("a"), .tag("x"), .prefix("a"), .all, Scope(.namespace(.default)),
    ])
    func whatWasInvalidatedWhileOnlyOnDiskDoesNotComeBack(scope: Scope) {
        let node = Self.crowded { node in
            _ = node.set("a", "one", .init(tags: [.named("x")]))
        }
        node.invalidate(scope)
        #expect(node.get("a")?.status == .miss)
    }

    @Test(arguments: [
        Scope.key("a"), .tag("x"), .prefix("a"), .all, Scope(.namespace(.default)),
    ])
    func whatIsInvalidatedWhileItIsReadDoesNotComeBack(scope: Scope) {
        let node = Self.crowded { node in
            _ = node.set("a", "one", .init(tags: [.named("x")]))
        }
        #expect(node.send(node.getFrame(["a"])).isEmpty)
        node.invalidate(scope)
        node.settle()
        #expect(DiskHarness.first(node.finishWaiting())?.status == .miss)
    }

    @Test func aFloorThatMemoryHasRetiredStillHidesWhatIsOnDisk() {
        let node = Self.crowded { node in
            _ = node.set("a", "one", .init(tags: [.named("x")]))
        }
        node.invalidate(.tag("x"))
        // Many full sweeps, after each of which floors may go.
        for _ in 0..<4_000 {
            node.shard.advance(by: .seconds(10))
            node.shard.core.tick(now: node.shard.now)
        }
        node.shard.makeLive()
        node.settle()
        #expect(node.get("a")?.status == .miss)
    }

    @Test func aReadReturnsAValueStoredDuringItsDiskRead() {
        let node = Self.crowded { node in _ = node.set("a", "one") }
        #expect(node.send(node.getFrame(["a"])).isEmpty)
        _ = node.set("a", "two")
        node.settle()
        #expect(DiskHarness.first(node.finishWaiting())?.text == "two")
    }

    @Test func aVersionOnDiskIsNotReplacedByAnOlderOne() {
        let node = Self.crowded { node in
            _ = node.set("a", "seven", .init(version: Version(7)))
        }
        let older = node.shard.setFrame("a", "five", .init(version: Version(5)))
        #expect(node.ask(older)?.refusal == .olderVersion)
        let newer = node.shard.setFrame("a", "eight", .init(version: Version(8)))
        #expect(node.ask(newer)?.status == .stored)
        #expect(node.get("a")?.text == "eight")
    }

    @Test func aTouchReachesWhatIsOnDiskAndIsKeptThere() throws {
        let node = Self.crowded { node in
            _ = node.set("a", "one", .init(timeToLive: 600_000))
        }
        #expect(node.ask(node.shard.touchFrame("a", ttl: 1_000))?.status == .touched)
        node.crowdOut()
        node.shard.advance(by: .seconds(2))
        #expect(node.get("a")?.status == .miss)
    }

    @Test func whatHasExpiredOnDiskIsAMiss() {
        let node = Self.crowded { node in
            _ = node.set("a", "one", .init(timeToLive: 1_000))
        }
        node.shard.advance(by: .seconds(1))
        #expect(node.get("a")?.status == .miss)
    }

    @Test func aSoftInvalidationOfAnEntryOnDiskLeavesItStale() throws {
        let node = Self.crowded { node in
            _ = node.set("a", "one", .init(tags: [.named("x")]))
        }
        node.invalidate(.tag("x"), strength: .soft)
        let found = try #require(node.get("a"))
        #expect(found.status == .miss)
        #expect(found.flags.contains(.soft))
    }

    @Test func aReadThatFailsIsAMiss() {
        let node = Self.crowded { node in _ = node.set("a", "one") }
        node.file.readFailure = .device("gone")
        #expect(node.get("a")?.status == .miss)
    }

    @Test func aDiskThatDoesNotAnswerKeepsARequestForASecond() {
        let node = Self.crowded { node in _ = node.set("a", "one") }
        #expect(node.send(node.getFrame(["a"])).isEmpty)
        node.shard.advance(by: .milliseconds(999))
        #expect(node.finishWaiting().isEmpty)
        node.shard.advance(by: .milliseconds(1))
        #expect(node.figure("disk_waits_late") == 0)
        #expect(DiskHarness.first(node.finishWaiting())?.status == .miss)
        #expect(node.figure("disk_waits_late") == 1)
        // The answer comes late, and finds nobody.
        node.settle()
        #expect(node.finishWaiting().isEmpty)
        #expect(node.getAtOnce("a").text == "one")
    }

    @Test func aReaderWaitsForTheDiskNoLongerThanItSaid() {
        let node = Self.crowded { node in _ = node.set("a", "one") }
        let shape = RequestShape(deadlineMilliseconds: 60)
        #expect(node.send(node.shard.getFrame(["a"], [], shape)).isEmpty)
        node.shard.advance(by: .milliseconds(59))
        #expect(node.finishWaiting().isEmpty)
        node.shard.advance(by: .milliseconds(1))
        #expect(DiskHarness.first(node.finishWaiting())?.status == .miss)
    }

    /// Its shard was held up meanwhile. Found by the simulation (seed 9366).
    @Test func aRequestPastItsDeadlineStartsNoDiskRead() {
        let node = Self.crowded { node in _ = node.set("a", "one") }
        let next = node.shard.log.head.position.next
        let shape = RequestShape(atLeast: next, deadlineMilliseconds: 60)
        #expect(node.send(node.shard.getFrame(["a"], [], shape)).isEmpty)
        node.shard.advance(by: .milliseconds(600))
        node.invalidate(.tag("y"))
        #expect(DiskHarness.first(node.finishWaiting())?.status == .miss)
        node.take()
        #expect(node.queue.isEmpty, "nothing is read for nobody")
    }

    /// The log was lost while it waited for the disk, and has another beginning now.
    @Test func aReaderThatIsKeptAgainWaitsNoLongerThanItSaid() {
        let node = Self.crowded { node in _ = node.set("a", "one") }
        let seen = node.invalidate(.tag("y"))
        let shape = RequestShape(atLeast: seen, deadlineMilliseconds: 400)
        #expect(node.send(node.shard.getFrame(["a"], [], shape)).isEmpty)
        node.shard.advance(by: .milliseconds(300))
        let (now, start) = (node.shard.now, LogBuilder().head)
        var effects: [ShardEffect] = []
        node.shard.core.forget(
            continuingFrom: start, of: LogID(2), now: now, effects: &effects)
        node.settle()
        #expect(node.finishWaiting().isEmpty)
        node.shard.advance(by: .milliseconds(100))
        #expect(DiskHarness.first(node.finishWaiting())?.status == .behind)
    }

    /// It would replace what it must not.
    @Test func aVersionedStoreWaitsForTheDiskBeyondItsDeadline() {
        let node = Self.crowded { node in
            _ = node.set("a", "nine", .init(version: Version(9)))
        }
        let shape = RequestShape(deadlineMilliseconds: 60)
        let frame = node.shard.setFrame("a", "eight", .init(version: Version(8)), shape)
        #expect(node.send(frame).isEmpty)
        node.shard.advance(by: .milliseconds(600))
        #expect(node.finishWaiting().isEmpty)
        node.settle()
        let outcome = DiskHarness.first(node.finishWaiting())
        #expect(outcome?.refusal == .olderVersion)
        #expect(node.getAtOnce("a").text == "nine")
    }

    @Test func aTierThatFailsAnswersEverybodyAndTheShardGoesOn() {
        let node = Self.crowded { node in _ = node.set("a", "one") }
        #expect(node.send(node.getFrame(["a"])).isEmpty)
        node.shard.core.diskWasLost(.noRoom, now: node.shard.now)
        #expect(DiskHarness.first(node.finishWaiting())?.status == .miss)
        node.notices = []
        node.take()
        #expect(node.notices == [.failed(.noRoom)])
        #expect(node.set("b", "two") == .stored)
        #expect(node.getAtOnce("b").text == "two")
    }

    @Test func requestsAreBusyUntilTheTierOpensOrIsGivenUp() {
        var shard = ShardHarness(disk: ShardHarness.DiskLife())
        #expect(shard.get("a").status == .busy)
        #expect(shard.set("a", "one").status == .busy)
        shard.core.goOnWithoutDisk()
        #expect(shard.get("a").status == .busy)
        let now = shard.now
        shard.core.resume(at: nil, now: now)
        #expect(shard.set("a", "one").status == .stored)
    }

    @Test func anotherEpochMakesTheDiskNothing() {
        let node = Self.crowded { node in _ = node.set("a", "one") }
        node.shard.beginEpoch(2)
        node.settle()
        #expect(node.get("a")?.status == .miss)
    }
}
