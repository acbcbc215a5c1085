import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// A shard of n1 and one of n2, which follow one log that moves slots between them.
struct SlotPair: ~Copyable {
    static let all = 0..<HashSlot.count

    var first = ShardHarness()
    var second = ShardHarness { $0.node = NodeID("n2") ?? $0.node }
    var pulls = KeyPulls()
    private(set) var table: SlotTable

    init() { table = SlotTable(beginningOf: first.log.head.position.epoch) }

    /// All slots are n1's.
    static func begun() throws -> SlotPair {
        var pair = SlotPair()
        try pair.move(to: 1)
        pair.second.effects = []
        return pair
    }

    /// Appends a record of slots; both apply it.
    private mutating func append(_ record: SlotRecord) throws {
        let sealed = try SealedRecord(
            sealing: InvalidationRecord(
                position: first.log.head.position.next, previousDigest: first.log.head.digest,
                slots: record))
        let isFolded = table.fold(record, at: sealed.position)
        #expect(isFolded)
        apply(sealed)
    }

    private mutating func apply(_ record: SealedRecord) {
        first.log.goOn(after: record)
        second.log.goOn(after: record)
        first.core.apply([record], isAwaited: true, now: first.now, effects: &first.effects)
        second.core.apply([record], isAwaited: true, now: second.now, effects: &second.effects)
    }

    /// Gives slots to a node; they are not served yet. Both are members from the first time on.
    mutating func give(_ slots: Range<Int>, to number: UInt16) throws {
        let first = try #require(HashSlot(slots.lowerBound))
        let owner = SlotOwner(member: MemberNumber(number), shard: 0)
        let run = try #require(SlotChange.Run(first: first, count: slots.count, owner: owner))
        let rows = try table.members.isEmpty ? [1, 2].map(Self.row) : []
        let change = SlotChange(rows: rows, runs: [run])
        var next = table
        _ = next.apply(change, at: self.first.log.head.position.next)
        try append(.change(change, digest: next.digest))
    }

    private static func row(_ number: UInt16) throws -> SlotChange.Row {
        let member = SlotMember(
            node: try #require(NodeID("n\(number)")), state: .member, shardCount: 1,
            weightThousandths: 1_000)
        return SlotChange.Row(MemberNumber(number), member)
    }

    mutating func serve() throws {
        let unserved = try #require(table.unserved)
        try append(.served(below: SequenceNumber(unserved.rawValue + 1)))
    }

    /// Moves all slots to a node.
    mutating func move(to number: UInt16) throws {
        try give(Self.all, to: number)
        try serve()
    }

    mutating func invalidate(_ scope: Scope) { apply(first.log.append([scope])) }

    mutating func advance(by duration: Duration) {
        first.advance(by: duration)
        second.advance(by: duration)
        first.core.tick(now: first.now)
        second.core.tick(now: second.now)
    }

    /// The second shard misses records, and goes on behind them.
    mutating func lose() {
        second.core.forget(
            continuingFrom: second.log.head, of: LogID(1), now: second.now,
            effects: &second.effects)
    }

    // MARK: Between the shards

    /// The requests of the second shard for readers that wait.
    mutating func takePulls() -> [SlotPull] {
        let taken = second.effects.compactMap { effect in
            if case .pull(let pull) = effect { pull } else { nil }
        }
        second.effects = []
        return taken
    }

    /// How often the first shard has reported that it gives entries.
    mutating func takeReports() -> Int {
        defer { first.effects = [] }
        return first.effects.count { if case .gives = $0 { true } else { false } }
    }

    /// The first shard's answer.
    mutating func answer(_ pull: SlotPull) -> KeyPulls.Ended? {
        let frame = pulls.ask(pull, of: 0, now: second.now)
        let peer = ShardHarness.makePeer(9)
        let replies = first.sendFrames(frame, from: peer)
        return replies.first.flatMap { $0.bytes.withUnsafeBytes { pulls.answered($0) } }
    }

    /// Passes an answer on.
    ///
    /// - Returns: what the second shard answers its readers.
    mutating func end(_ pull: KeyPulls.Ended?) -> [ShardHarness.Outcome] {
        guard let pull else { return [] }
        second.core.pulled(pull.pull, pull.batch, now: second.now)
        return second.finishedOutcomes()
    }

    /// A reader of a key at the second shard, with what the first gives.
    mutating func read(_ key: String) -> ShardHarness.Outcome? {
        let atOnce = second.send(second.getFrame([key]))
        if case .results(_, let outcomes)? = atOnce.first { return outcomes.first }
        var outcomes: [ShardHarness.Outcome] = []
        for pull in takePulls() { outcomes += end(answer(pull)) }
        return outcomes.first
    }
}

extension ShardHarness {
    /// The publisher reports the owners of slots as of its head.
    mutating func hear(_ table: SlotTable) {
        var report = TopologyReport(
            version: 9, kind: .sharded, controlEndpoint: "", liveEndpoint: "", nodes: [])
        report.slots = table
        let note = MembersNote(isSettled: false, isBySlots: true, asOf: log.head.position)
        var writer = ByteWriter()
        report.encode(requestID: 0, note: note, into: &writer)
        core.setTopology(frame: writer.array, now: now)
    }
}
