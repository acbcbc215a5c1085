/// The number of a member in a ``SlotTable``: shorter than its id in each run of slots. Unique
/// within one table.
package struct MemberNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(_ rawValue: UInt16) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    package var description: String { String(rawValue) }
}

/// A node that owns slots, or may get some.
package struct SlotMember: Hashable, Sendable {
    package enum State: UInt8, Hashable, CaseIterable, Sendable {
        case member = 1
        /// It gets no slots, and loses those that it has.
        case leaving = 2
    }

    package let node: NodeID
    package let state: State
    /// 1 to 64.
    package let shardCount: UInt8
    /// 0: it gets no slots.
    package let weightThousandths: UInt32

    package init(node: NodeID, state: State, shardCount: UInt8, weightThousandths: UInt32) {
        self.node = node
        self.state = state
        self.shardCount = shardCount
        self.weightThousandths = weightThousandths
    }
}

/// A shard of a member.
package struct SlotOwner: Hashable, Comparable, Sendable {
    package let member: MemberNumber
    /// 0 to 63.
    package let shard: UInt8

    package init(member: MemberNumber, shard: UInt8) {
        self.member = member
        self.shard = shard
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.member, left.shard) < (right.member, right.shard)
    }
}
