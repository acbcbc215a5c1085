import CacheModel
import CacheWire
import PublisherCore

/// Judges whether a shard answers for the key of a slot only where it owns it, and others have been
/// waited for: by the tables that publishers have had, and not by those of shards.
///
///     publisher's table at each slot record ─▶ the one in force where the shard is ─▶ owner
///
/// A log that lost its end can have two tables for one position. The answer is right if a publisher
/// had a table that allows it, and a log that has reached the position.
final class OwnersJudge: WorldPart {
    /// What one publisher has had in one epoch.
    private struct Known {
        let generation: Int
        let epoch: Epoch
        /// Ascending by position.
        var tables: [SlotTable]
        /// Up to where its log reached.
        var head: LogPosition
    }

    let timeline: Timeline
    private let nodes: SimulatedNodes
    private var known: [Known] = []

    private var publisher: SimulatedPublisher { nodes.publisher }

    init(_ nodes: SimulatedNodes) {
        (timeline, self.nodes) = (nodes.timeline, nodes)
    }

    /// The publisher has done a turn, or started.
    func noteTable() {
        guard settings.hasSlots, settings.shared == nil, let table = publisher.core.slots.table
        else { return }
        let head = publisher.core.log.head.position
        guard table.position.epoch == head.epoch else { return }
        let last = known.indices.last {
            known[$0].generation == publisher.generation && known[$0].epoch == head.epoch
        }
        guard let last else {
            return known.append(
                Known(
                    generation: publisher.generation, epoch: head.epoch, tables: [table],
                    head: head))
        }
        known[last].head = max(known[last].head, head)
        if known[last].tables.last?.position != table.position {
            known[last].tables.append(table)
        }
    }

    /// A shard has answered a request for a key: it had to own it at its position.
    func judge(
        _ outcome: Answer.Outcome, _ request: Request, _ item: Int, of shard: SimulatedShard
    ) throws(Violation) {
        guard !known.isEmpty, Self.isAnswer(outcome), Self.needsOwner(request.purpose) else {
            return
        }
        let position = shard.memory.mark.position
        let tables = known.filter { $0.epoch == position.epoch && position <= $0.head }
            .compactMap { known in known.tables.last { $0.position <= position } }
        // Before the first owners a shard may know its keys as a member still.
        guard !tables.isEmpty, tables.allSatisfy(\.hasOwners) else { return }
        let slot = Catalog.items[item].key.bytes.withUnsafeBytes { HashSlot(of: $0) }
        let node = SimulatedNodes.id(of: nodes.runs[shard.place.run].node)
        count(.ownedAnswers)
        try Violation.unless(
            tables.contains { table in
                guard let owner = table[slot], table.isServed(slot) else { return false }
                return table.members[owner.member]?.node == node
                    && Int(owner.shard) == shard.place.shard
            },
            "\(shard.place) answers \(outcome.status.map { "\($0)" } ?? "?") for key \(item) at "
                + "\(position), and its slot is another shard's there, or not served yet")
    }

    /// A miss has no consequence at a shard that does not know the owners yet, also with a token:
    /// the store under it is judged. Nor has a value that was loaded for its reader alone.
    private static func isAnswer(_ outcome: Answer.Outcome) -> Bool {
        switch outcome.status {
        case .hit, .stale: !outcome.isLoaded
        case .stored, .touched: true
        default: false
        }
    }

    /// What has an effect already is answered, also by a shard that has lost the key since; a copy
    /// is of a slot that another shard has.
    private static func needsOwner(_ purpose: Request.Purpose) -> Bool {
        switch purpose {
        case .get, .load, .fill, .renewal, .plainSet, .touch, .proof: true
        case .prefetch, .copy, .delete, .copying: false
        }
    }
}
