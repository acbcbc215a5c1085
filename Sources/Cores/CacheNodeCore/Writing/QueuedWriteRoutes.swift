package import CacheLoading
package import CacheModel

/// How the present owner of a slot got it.
package struct SlotSuccession: Equatable, Sendable {
    /// Since when its node has it: moves between that node's shards do not count.
    package var began: SequenceNumber
    /// Since when the shard before that node had it; `nil`: unknown.
    package var predecessor: SequenceNumber?

    package init(began: SequenceNumber, predecessor: SequenceNumber?) {
        (self.began, self.predecessor) = (began, predecessor)
    }
}

/// The owners of slots as a shard knows them, for the node's write queue.
package enum SlotsNews: Sendable {
    /// Records were missed.
    case unknown
    /// With how each slot's owner got it, where that is known.
    case known(SlotTable, [HashSlot: SlotSuccession])
}

/// Where a node's queued writes go, by the owners of slots: docs/decisions/0122.
///
///     ── another's ──┤ since      this node's      ├── another's: forwarded ──▶ log
///                    └ what is accepted here names it
///
/// A write of an earlier ownership may be older than one of another node: it is set aside.
package struct QueuedWriteRoutes: Sendable {
    /// A time during which this node owned a slot. A move between its shards is no interruption.
    private struct Ownership {
        let began: SequenceNumber
        /// The newest record that gave the slot to one of its shards.
        let last: SequenceNumber
        let epoch: Epoch

        func contains(_ since: LogPosition) -> Bool {
            since.epoch == epoch && since.sequence >= began && since.sequence <= last
        }

        func isLast(_ since: LogPosition) -> Bool {
            since.epoch == epoch && since.sequence == last
        }
    }

    private let node: NodeID
    /// `nil`: no topology is known.
    private var isBySlots: Bool?
    /// The last that was known.
    private var table: SlotTable?
    /// Whether it is that of now, as far as this node knows.
    private var isKnown = false
    /// Whether the publisher waits for this node before it has others answer for its keys.
    private var isLeased = false
    /// By slot: the present ownership; `nil`: it is another's.
    private var present = [Ownership?](repeating: nil, count: HashSlot.count)
    /// The last that ended.
    private var past: [HashSlot: Ownership] = [:]

    /// - Parameter node: this one.
    package init(node: NodeID) { self.node = node }

    /// The topology says whether keys are owned by slots.
    ///
    /// - Parameter position: as of which it is; a report may come late.
    /// - Returns: whether writes may go elsewhere now.
    package mutating func setTopology(isBySlots: Bool, asOf position: LogPosition) -> Bool {
        defer { self.isBySlots = isBySlots }
        if !isBySlots, let epoch = table?.position.epoch, epoch < position.epoch {
            (table, isKnown) = (nil, false)
            return true
        }
        return self.isBySlots != isBySlots
    }

    /// The node has a lease, or has lost it: then other nodes may have its keys without its
    /// knowledge.
    ///
    /// - Returns: whether writes may go elsewhere now.
    package mutating func setLeased(_ isLeased: Bool) -> Bool {
        defer { self.isLeased = isLeased }
        return table != nil && self.isLeased != isLeased
    }

    /// A shard knows other owners, or none any more.
    ///
    /// - Returns: a new position for a write that was accepted as of a position; `nil`: it stays.
    /// - Complexity: O(slots).
    package mutating func update(
        _ news: SlotsNews
    ) -> (@Sendable (WriteLine, LogPosition) -> LogPosition?)? {
        guard case .known(let table, let successions) = news else {
            isKnown = false
            return nil
        }
        let (isFirst, epoch) = (self.table == nil, table.position.epoch)
        let own = Set(table.members.filter { $0.value.node == node }.keys)
        for index in present.indices {
            guard let slot = HashSlot(index) else { continue }
            if table[slot].map({ own.contains($0.member) }) ?? false {
                present[index] = ownership(of: slot, table, successions[slot])
            } else if let ended = present[index] {
                (past[slot], present[index]) = (ended, nil)
            }
        }
        (self.table, isKnown) = (table, true)
        let now = present
        return { line, since in
            let index = line.key.bytes.withUnsafeBytes { Int(HashSlot(of: $0).rawValue) }
            // The journal is of another log.
            if isFirst, since.epoch > epoch { return LogPosition.none }
            guard let mine = now[index], mine.contains(since), !mine.isLast(since) else {
                return nil
            }
            return LogPosition(epoch: mine.epoch, sequence: mine.last)
        }
    }

    private func ownership(
        of slot: HashSlot, _ table: SlotTable, _ succession: SlotSuccession?
    ) -> Ownership {
        let (last, epoch) = (table.since[Int(slot.rawValue)], table.position.epoch)
        let fresh = Ownership(began: last, last: last, epoch: epoch)
        guard let mine = present[Int(slot.rawValue)], mine.epoch == epoch else { return fresh }
        // Of several records only the last is seen: between them another node may have had it.
        let isSame = last == mine.last || succession.map { $0.began <= mine.last } ?? false
        return isSame ? Ownership(began: mine.began, last: last, epoch: epoch) : fresh
    }

    /// Where an accepted write goes.
    ///
    /// - Parameter since: as in ``CacheLoading/WriteRoute/Choice``.
    /// - Complexity: O(bytes of the key).
    package func route(_ line: WriteLine, _ since: LogPosition?) -> WriteRoute {
        guard let table else { return isBySlots == false ? .origin : .unknown }
        let slot = line.key.bytes.withUnsafeBytes { HashSlot(of: $0) }
        guard isKnown, let owner = table[slot], let name = table.members[owner.member]?.node else {
            return .unknown
        }
        guard name == node else {
            return .node(name, ownedSince: since.map { latest($0, slot) })
        }
        guard isLeased else { return .unknown }
        guard let since, let mine = present[Int(slot.rawValue)] else { return .origin }
        // Another shard is ahead of the one that tells the owners.
        if since > table.position { return .unknown }
        return mine.contains(since) ? .origin : .aside
    }

    /// The next owner knows the record that it followed.
    private func latest(_ since: LogPosition, _ slot: HashSlot) -> LogPosition {
        guard let ended = past[slot], ended.contains(since) else { return since }
        return LogPosition(epoch: ended.epoch, sequence: ended.last)
    }
}
