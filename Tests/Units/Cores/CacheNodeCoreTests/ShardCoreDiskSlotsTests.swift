import CacheDisk
import CacheInvalidation
import CacheMemory
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// What a disk tier shows when slots move while the node runs, and after that:
/// docs/decisions/0120.
@Suite struct ShardCoreDiskSlotsTests {
    /// A shard of n1 with a disk tier, and the table of the log that it follows.
    private final class Stage {
        var disk: DiskHarness
        private(set) var table: SlotTable

        init() throws {
            disk = DiskHarness()
            table = SlotTable(beginningOf: disk.shard.log.head.position.epoch)
            try give(0..<HashSlot.count, to: 1)
            disk.shard.makeLive()
        }

        /// Gives slots to a node, and has them served.
        func give(_ slots: Range<Int>, to number: UInt16) throws {
            let first = try #require(HashSlot(slots.lowerBound))
            let owner = SlotOwner(member: MemberNumber(number), shard: 0)
            let run = try #require(SlotChange.Run(first: first, count: slots.count, owner: owner))
            let rows = try table.members.isEmpty ? [1, 2].map(Self.row) : []
            let change = SlotChange(rows: rows, runs: [run])
            var next = table
            _ = next.apply(change, at: disk.shard.log.head.position.next)
            try append(.change(change, digest: next.digest))
            let unserved = try #require(table.unserved)
            try append(.served(below: SequenceNumber(unserved.rawValue + 1)))
        }

        private static func row(_ number: UInt16) throws -> SlotChange.Row {
            let member = SlotMember(
                node: try #require(NodeID("n\(number)")), state: .member, shardCount: 1,
                weightThousandths: 1_000)
            return SlotChange.Row(MemberNumber(number), member)
        }

        private func append(_ record: SlotRecord) throws {
            let head = disk.shard.log.head
            let sealed = try SealedRecord(
                sealing: InvalidationRecord(
                    position: head.position.next, previousDigest: head.digest, slots: record))
            let isFolded = table.fold(record, at: sealed.position)
            #expect(isFolded)
            disk.shard.log.goOn(after: sealed)
            disk.records.append(sealed)
            disk.apply([sealed])
        }

        /// The node is killed and starts again; the publisher reports the table.
        func restart() {
            disk.checkpoint()
            disk = DiskHarness(afterKillOf: disk, without: .topology)
            disk.join()
            disk.shard.hear(table)
            disk.take()
            disk.settle()
            disk.shard.makeLive()
        }

        /// What a reader gets; the owner before of an arrived slot does not answer.
        func get(_ key: String) -> ResultStatus? {
            if let outcome = disk.get(key) { return outcome.status }
            disk.shard.advance(by: HandOverLimits.readerWaitMax)
            if let outcome = DiskHarness.first(disk.finishWaiting()) { return outcome.status }
            disk.settle()
            return DiskHarness.first(disk.finishWaiting())?.status
        }
    }

    private static let keys = (0..<32).map { "key-\($0)" }
    private static let high = 8_000..<HashSlot.count

    private static func isHigh(_ key: String) -> Bool {
        high.contains(Int(Array(key.utf8).withUnsafeBytes { HashSlot(of: $0) }.rawValue))
    }

    /// Every key is on disk alone.
    private func filled() throws -> Stage {
        let stage = try Stage()
        for key in Self.keys { #expect(stage.disk.set(key, "v") == .stored) }
        stage.disk.crowdOut()
        #expect(stage.disk.shard.core.entries.memory.entryCount == 0)
        return stage
    }

    /// Else every node's disk tier would be emptied when one node dies.
    @Test func slotsThatMoveLeaveTheDiskTierOfOthersAsItIs() throws {
        let stage = try filled()
        try stage.give(Self.high, to: 2)
        for key in Self.keys where !Self.isHigh(key) { #expect(stage.get(key) == .hit) }
        #expect(stage.disk.notices.allSatisfy { if case .discarded = $0 { false } else { true } })
    }

    @Test func aDiskTierShowsNothingOfSlotsThatMovedAwayAndBack() throws {
        let stage = try filled()
        for number: UInt16 in [2, 1] { try stage.give(Self.high, to: number) }
        for key in Self.keys { #expect(stage.get(key) == (Self.isHigh(key) ? .miss : .hit)) }
    }

    @Test func aRunAfterTheMovesShowsWhatTheOneBeforeWouldHave() throws {
        let stage = try filled()
        for number: UInt16 in [2, 1] { try stage.give(Self.high, to: number) }
        stage.restart()
        for key in Self.keys { #expect(stage.get(key) == (Self.isHigh(key) ? .miss : .hit)) }
    }

    @Test func theNextOwnerOfSlotsGetsWhatIsOnDisk() throws {
        let stage = try filled()
        let change = stage.disk.shard.log.head.position.next
        try stage.give(Self.high, to: 2)
        let core = stage.disk.shard.core.applied
        let stamp = stage.disk.shard.core.log.appliedStamp
        var request = WarmUp.CopyRequest(
            namespace: .default, keys: Self.keys.filter(Self.isHigh).map { .named($0) },
            fence: WarmUp.Fence(mark: core, stamp: stamp))
        request.change = change
        let frame = request.frame(number: 1)
        #expect(stage.disk.send(frame).isEmpty, "the disk is read")
        stage.disk.settle()
        guard case .results(_, let outcomes)? = stage.disk.finishWaiting().first else {
            Issue.record("the request is answered")
            return
        }
        #expect(outcomes.count > 8)
        // What does not fit is requested again.
        #expect(outcomes.allSatisfy { $0.status == .hit || $0.status == .deferred })
        #expect(outcomes.first?.text == "v")
    }
}
