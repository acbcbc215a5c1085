import ByteCoding
import CacheDisk
import CacheMemory
import CacheModel
import CacheNodeCore
import CacheSimulation
import CacheWire
import Testing

/// The log was trimmed past a shard with a disk tier: what nothing has touched meanwhile is shown.
@Suite struct ShardCoreDiskAmnestyTests {
    /// Keys `a` to `c`, the last with a tag, only on disk.
    private static func first(_ geometry: DiskGeometry = DiskHarness.geometry) -> DiskHarness {
        let node = DiskHarness(geometry: geometry)
        node.invalidate(.key("other"))
        node.checkpoint()
        for key in ["a", "b", "c"] {
            _ = node.set(key, "value of \(key)", .init(tags: key == "c" ? [.named("x")] : []))
        }
        node.settle()
        node.evictAll()
        return node
    }

    /// The log goes on without the shard, which is told that what it missed is gone.
    ///
    /// - Returns: where it goes on.
    private static func truncate(_ node: DiskHarness, isPending: Bool = true) -> LogMark {
        for _ in 0..<3 { _ = node.shard.log.append([.key("unheard")], strength: .hard) }
        let mark = node.shard.log.head
        var effects: [ShardEffect] = []
        node.shard.core.forget(
            continuingFrom: mark, of: LogID(1), isPending: isPending, now: node.shard.now,
            effects: &effects)
        node.take()
        return mark
    }

    private static func touched(
        keys: [String] = [], tags: [String] = [], prefixes: [String] = [],
        isDefaultNamespace: Bool = false
    ) -> TouchedScopes {
        var touched = TouchedScopes()
        let buckets = Array(Namespace.default.name.utf8).withUnsafeBytes {
            FloorBuckets(namespace: $0)
        }
        for key in keys {
            touched.insert(bucket: Array(key.utf8).withUnsafeBytes { buckets.bucket(ofKey: $0) })
        }
        for tag in tags {
            touched.insert(bucket: Array(tag.utf8).withUnsafeBytes { buckets.bucket(ofTag: $0) })
        }
        for prefix in prefixes { touched.insert(prefix: Array(prefix.utf8), in: .default) }
        if isDefaultNamespace { touched.insert(.default) }
        return touched
    }

    private static func shown(by node: DiskHarness) -> [String] {
        ["a", "b", "c"].filter { node.get($0)?.text == "value of \($0)" }
    }

    @Test func whatNothingTouchedIsShownAndTheRestIsNot() {
        let wanted: [(TouchedScopes, [String])] = [
            (Self.touched(), ["a", "b", "c"]), (Self.touched(keys: ["a"]), ["b", "c"]),
            (Self.touched(tags: ["x"]), ["a", "b"]), (Self.touched(prefixes: ["b"]), ["a", "c"]),
            (Self.touched(isDefaultNamespace: true), []),
        ]
        for (touched, expected) in wanted {
            let node = Self.first()
            let mark = Self.truncate(node)
            node.shard.core.settle(touched, from: mark)
            #expect(Self.shown(by: node) == expected)
            // Judged once, they are as good as filled there.
            #expect(Self.shown(by: node) == expected)
            node.evictAll()
            #expect(Self.shown(by: node) == expected)
        }
    }

    @Test func pendingEntriesStayHiddenAndAreDroppedWithoutTouchedScopes() {
        let node = Self.first()
        let mark = Self.truncate(node)
        #expect(Self.shown(by: node) == [])
        node.shard.core.settle(nil, from: mark)
        #expect(Self.shown(by: node) == [])
        #expect(node.figure("disk_entries") == 0)
        let unasked = Self.first()
        _ = Self.truncate(unasked, isPending: false)
        #expect(unasked.figure("disk_entries") == 0)
    }

    @Test func anAnswerAboutALaterTimeSparesNothingThatIsOlder() {
        let node = Self.first()
        _ = Self.truncate(node)
        let second = Self.truncate(node)
        node.shard.core.settle(Self.touched(), from: second)
        #expect(Self.shown(by: node) == [])
    }

    @Test func whatWasTouchedTheFirstTimeStaysSoAfterASecond() {
        let node = Self.first()
        let first = Self.truncate(node)
        node.shard.core.settle(Self.touched(keys: ["a"]), from: first)
        let second = Self.truncate(node)
        node.shard.core.settle(Self.touched(keys: ["b"]), from: second)
        #expect(Self.shown(by: node) == ["c"])
    }

    @Test func whatIsInvalidatedAfterwardsStaysSo() {
        let node = Self.first()
        let mark = Self.truncate(node)
        node.invalidate(.tag("x"))
        node.shard.core.settle(Self.touched(), from: mark)
        node.invalidate(.key("a"))
        #expect(Self.shown(by: node) == ["b"])
    }

    /// A kill at any time: the next life is told that the log was trimmed, and asks again.
    @Test(arguments: [false, true])
    func aLaterLifeAsksAgainForAllThatWasTouchedSince(isSettled: Bool) {
        let node = Self.first()
        let was = node.shard.core.applied
        let mark = Self.truncate(node)
        node.settle()
        if isSettled { node.shard.core.settle(Self.touched(keys: ["a"]), from: mark) }
        _ = node.set("d", "new")
        node.checkpoint()
        let next = DiskHarness(afterKillOf: node)
        #expect(next.shard.core.applied == was)
        next.shard.core.setLastLife(Incarnation(77))
        #expect(Self.shown(by: next) == [])
        let later = Self.truncate(next)
        next.shard.core.settle(Self.touched(keys: ["a", "b"]), from: later)
        #expect(Self.shown(by: next) == ["c"])
        #expect(next.get("d")?.text == "new")
    }

    /// An older copy of the log has the records after all. Each is applied, however many lives that
    /// takes.
    @Test func aLaterLifeThatIsToldTheRecordsAfterAllObeysEach() {
        let node = Self.first()
        let unheard = [
            node.shard.log.append([.key("other")], strength: .hard),
            node.shard.log.append([.key("a")], strength: .hard),
        ]
        let mark = node.shard.log.head
        var effects: [ShardEffect] = []
        node.shard.core.forget(
            continuingFrom: mark, of: LogID(1), isPending: true, now: node.shard.now,
            effects: &effects)
        node.settle()
        node.shard.core.settle(Self.touched(keys: ["a"]), from: mark)
        node.checkpoint()
        let second = DiskHarness(afterKillOf: node)
        second.shard.core.setLastLife(Incarnation(77))
        second.apply([unheard[0]])
        second.checkpoint()
        let third = DiskHarness(afterKillOf: second, incarnation: 79)
        third.shard.core.setLastLife(Incarnation(second.incarnation))
        third.apply([unheard[1]])
        #expect(Self.shown(by: third) == ["b", "c"])
    }

    @Test func theCheckpointAdvancesOnceTheRingHasReplacedAllEarlierEntries() {
        let node = Self.first(DiskHarness.smallGeometry)
        let was = node.shard.core.applied
        let mark = Self.truncate(node)
        node.shard.core.settle(Self.touched(), from: mark)
        node.checkpoint()
        #expect(DiskHarness(afterKillOf: node).shard.core.applied == was)
        node.goRound()
        // Only what memory evicts is written by now; all of it is asked for, and so admitted.
        for round in 0..<4 {
            for number in 0..<200 {
                let key = "late \(round) \(number)"
                _ = node.set(key, String(repeating: "y", count: 600))
                _ = node.get(key)
                _ = node.get(key)
            }
            node.evictAll()
            node.settle()
        }
        node.invalidate(.key("other"))
        node.checkpoint()
        let next = DiskHarness(afterKillOf: node)
        #expect(next.shard.core.applied == node.shard.core.applied)
    }

    @Test func entriesOfAnotherLogOrEpochAreDropped() {
        let node = Self.first()
        var effects: [ShardEffect] = []
        let head = node.shard.log.head
        node.shard.core.forget(
            continuingFrom: head, of: LogID(2), isPending: true, now: node.shard.now,
            effects: &effects)
        #expect(node.figure("disk_entries") == 0)
        let other = Self.first()
        var mark = other.shard.log.head
        mark.position = LogPosition(
            epoch: Epoch(mark.position.epoch.rawValue + 1), sequence: mark.position.sequence)
        other.shard.core.forget(
            continuingFrom: mark, of: LogID(1), isPending: true, now: other.shard.now,
            effects: &effects)
        #expect(other.figure("disk_entries") == 0)
    }
}
