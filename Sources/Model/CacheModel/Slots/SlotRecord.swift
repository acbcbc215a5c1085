/// What a record of the log says of slots. docs/decisions/0120.
///
/// Behind a reference: few records of the log are of slots, and every one has room for this.
package indirect enum SlotRecord: Hashable, Sendable {
    /// Slots have other owners, or there are other members.
    ///
    /// - Parameter digest: of the table's members and owners after it. A reader with another one
    ///   does not have the publisher's table.
    case change(SlotChange, digest: UInt64)
    /// From here on the owner of each slot with a *since* below this answers for it.
    case served(below: SequenceNumber)
}

/// A change of a ``SlotTable``, complete by itself.
package struct SlotChange: Hashable, Sendable {
    /// The most runs of one change; a longer one is several changes.
    package static let runsMax = 8_000

    /// A member's row in the table.
    package struct Row: Hashable, Sendable {
        package let number: MemberNumber
        /// `nil`: it is no member any more.
        package let member: SlotMember?

        package init(_ number: MemberNumber, _ member: SlotMember?) {
            self.number = number
            self.member = member
        }
    }

    /// Adjacent slots that one shard gets.
    package struct Run: Hashable, Sendable {
        package let first: HashSlot
        /// At least 1; the last slot is below ``HashSlot/count``.
        package let count: Int
        package let owner: SlotOwner

        /// - Returns: `nil` if the run is empty, or ends behind the last slot.
        package init?(first: HashSlot, count: Int, owner: SlotOwner) {
            guard count > 0, Int(first.rawValue) + count <= HashSlot.count else { return nil }
            self.first = first
            self.count = count
            self.owner = owner
        }

        package var slots: Range<Int> { Int(first.rawValue)..<Int(first.rawValue) + count }
    }

    /// New or different ones, ascending by number.
    package let rows: [Row]
    /// Ascending, without overlaps.
    package let runs: [Run]

    package init(rows: [Row], runs: [Run]) {
        self.rows = rows
        self.runs = runs
    }
}
