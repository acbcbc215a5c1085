import ByteCoding
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Messages that ask for more than memory has room for.
@Suite struct ShardCoreDiskBatchTests {
    private static let keys = (0..<200).map { "k\($0)" }

    private static func value(_ key: String) -> String {
        key + String(repeating: "v", count: 4_000 - key.utf8.count)
    }

    /// Two hundred values of four kilobytes on disk, and memory for sixty.
    private static func node() -> DiskHarness {
        let node = DiskHarness(memoryBytes: 2 << 20)
        for key in keys {
            _ = node.set(key, value(key), .init(version: Version(9)))
            node.settle()
        }
        node.crowdOut()
        node.shard.core.setMemoryBudget(300_000)
        return node
    }

    private static func outcomes(_ node: DiskHarness, _ frame: [UInt8]) -> [ShardHarness.Outcome] {
        var replies = node.send(frame)
        if replies.isEmpty {
            node.settle()
            replies = node.finishWaiting()
        }
        guard case .results(_, let outcomes)? = replies.first else {
            Issue.record("a message is answered with results")
            return []
        }
        return outcomes
    }

    @Test func aBatchLargerThanMemoryFindsAllThatIsOnDisk() {
        let node = Self.node()
        let outcomes = Self.outcomes(node, node.getFrame(Self.keys))
        #expect(outcomes.map(\.status) == Self.keys.map { _ in .hit })
        #expect(outcomes.map(\.text) == Self.keys.map(Self.value))
        #expect(node.figure("disk_deferred") == 0)
    }

    /// Some of its keys are in memory, and leave it for the others.
    @Test func whatABatchEvictsOfItsOwnIsAskedForAgain() {
        let node = Self.node()
        _ = Self.outcomes(node, node.getFrame(Array(Self.keys.suffix(40))))
        var (open, rounds) = (Self.keys, 0)
        while !open.isEmpty, rounds < 5 {
            let outcomes = Self.outcomes(node, node.getFrame(open))
            for (key, outcome) in zip(open, outcomes) where outcome.status != .deferred {
                #expect(outcome.status == .hit && outcome.text == Self.value(key))
            }
            let next = zip(open, outcomes).filter { $0.1.status == .deferred }.map(\.0)
            #expect(next.count < open.count)
            (open, rounds) = (next, rounds + 1)
        }
        #expect(open.isEmpty && rounds > 1)
        #expect(node.figure("disk_deferred") > 0)
    }

    /// Else an older version would be stored over the one that was read, and evicted again.
    @Test func storesOfABatchAreHeldAgainstTheVersionsOnDisk() {
        let node = Self.node()
        let older = SetOperation.Description(version: Version(5))
        let frame = node.shard.frame(.set, count: Self.keys.count) { writer in
            for key in Self.keys {
                Array(key.utf8).withUnsafeBytes { key in
                    SetOperation.append(key: key, value: key, older, to: &writer)
                }
            }
        }
        let outcomes = Self.outcomes(node, frame)
        #expect(outcomes.map(\.refusal) == Self.keys.map { _ in .olderVersion })
    }

    @Test func touchesOfABatchFindWhatIsOnDisk() {
        let node = Self.node()
        let frame = node.shard.frame(.touch, count: Self.keys.count) { writer in
            for key in Self.keys {
                Array(key.utf8).withUnsafeBytes {
                    TouchOperation.append(key: $0, timeToLive: 60_000, to: &writer)
                }
            }
        }
        let outcomes = Self.outcomes(node, frame)
        #expect(outcomes.map(\.status) == Self.keys.map { _ in .touched })
    }

    @Test(arguments: [Scope.key("k3"), .prefix("k"), .all])
    func whatIsInvalidatedBetweenItsReadAndItsAnswerIsNotShown(scope: Scope) {
        let node = Self.node()
        #expect(node.send(node.getFrame(["k3"])).isEmpty)
        while node.step() {}
        node.invalidate(scope)
        guard case .results(_, let outcomes)? = node.finishWaiting().first else {
            Issue.record("it was read, and is answered")
            return
        }
        #expect(outcomes.map(\.status) == [.miss])
    }

    @Test(arguments: [false, true])
    func whatIsReplacedBetweenItsReadAndItsAnswerIsNotShown(isEvicted: Bool) {
        let node = Self.node()
        #expect(node.send(node.getFrame(["k3", "k4"])).isEmpty)
        while node.step() {}
        #expect(node.set("k3", "new") == .stored)
        if isEvicted { node.evictAll() }
        guard case .results(_, let outcomes)? = node.finishWaiting().first else {
            Issue.record("it was read, and is answered")
            return
        }
        #expect(outcomes[0].text == (outcomes[0].status == .hit ? "new" : ""))
        #expect(outcomes[1].text == Self.value("k4"))
    }

    /// Whoever asked has gone; the next one finds it.
    @Test func aDiskReadWithoutWaitingReadersStillFillsMemory() {
        let node = Self.node()
        #expect(node.send(node.getFrame(["k3"])).isEmpty)
        node.shard.advance(by: .seconds(2))
        _ = node.finishWaiting()
        node.settle()
        node.shard.advance(by: .seconds(3))
        node.settle()
        #expect(node.getAtOnce("k3").text == Self.value("k3"))
    }
}
