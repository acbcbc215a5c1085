import ByteCoding
package import CacheModel

extension Membership {
    ///     offset  size  field
    ///          0     1  settled   1, or 0 while keys move
    ///          1     1  known     1, or 0 if the list is too long: no members follow
    ///          2     2  members
    ///          4     …  each: id bytes 1, reserved 1, shards 2, weight 4 (thousandths), id
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(bytes)
        let unknown = WireRefusal(.malformed, "what is said of the members is not known")
        let isSettled = try reader.flag(or: unknown)
        let isKnown = try reader.flag(or: unknown)
        let count = Int(try reader.next(UInt16.self))
        guard count <= WireLimits.nodesMax, isKnown || count == 0 else {
            throw WireRefusal(.outOfRange, "a cluster has at most 1000 members")
        }
        var members: [Member] = []
        for _ in 0..<count { members.append(try Self.member(&reader)) }
        try reader.expectEnd()
        guard Set(members.map(\.node)).count == members.count else {
            throw WireRefusal(.malformed, "a node is a member twice")
        }
        self.init(isKnown ? members : nil, isSettled: isSettled)
    }

    private static func member(_ reader: inout ByteReader) throws(WireRefusal) -> Member {
        let idBytes = Int(try reader.next(UInt8.self))
        try reader.reserved(1)
        let shards = try reader.next(UInt16.self)
        guard shards <= WireLimits.shardsPerNodeMax else {
            throw WireRefusal(.outOfRange, "a node has at most 64 shards")
        }
        let weight = try reader.next(UInt32.self)
        return Member(
            node: try reader.nodeID(idBytes), shards: shards, weightThousandths: weight)
    }

    /// The bytes that ``init(decoding:)`` reads.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt8(isSettled ? 1 : 0))
        writer.append(UInt8(members == nil ? 0 : 1))
        writer.append(UInt16(members?.count ?? 0))
        for member in members ?? [] {
            let id = Array(member.node.name.utf8)
            writer.append(UInt8(id.count))
            writer.append(UInt8(0))
            writer.append(member.shards)
            writer.append(member.weightThousandths)
            writer.append(id)
        }
        return writer.array
    }

    /// The longest list that fits into a record with its head and its scope's.
    package static var encodedBytesMax: Int { InvalidationRecord.bytesMax - 64 }
}

/// The members according to a TOPOLOGY REPORT, apart from their names.
public struct MembersNote: Hashable, Sendable {
    /// Whether every shard knows them, or has no lease.
    package let isSettled: Bool
    /// Whether the log assigns slots, and no list of members gives keys to their owners.
    package let isBySlots: Bool
    /// The position of the log when the report was made.
    package let asOf: LogPosition

    package init(isSettled: Bool, isBySlots: Bool = false, asOf: LogPosition) {
        self.isSettled = isSettled
        self.isBySlots = isBySlots
        self.asOf = asOf
    }
}

extension Topology {
    /// Which shard of which node owns a key under these members. Without endpoints.
    package init(_ members: [Membership.Member]) {
        let nodes = members.map { member in
            TopologyReport.Node(
                id: member.node, state: nil, weightThousandths: member.weightThousandths,
                endpoints: Array(repeating: "", count: Int(member.shards)))
        }
        self.init(
            TopologyReport(
                version: 0, kind: .sharded, controlEndpoint: "", liveEndpoint: "", nodes: nodes))
    }
}

extension TopologyReport {
    /// The nodes that share the keys, as in a record.
    package var members: [Membership.Member] {
        nodes.map {
            Membership.Member(
                node: $0.id, shards: UInt16(clamping: $0.endpoints.count),
                weightThousandths: $0.weightThousandths)
        }
    }
}
