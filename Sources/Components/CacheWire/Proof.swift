public import ByteCoding
public import CacheModel

/// Part of every answer of the data path: the position it reflects, and how long the node may call
/// its entries fresh.
///
///     offset  size  field
///          0     4  epoch
///          4     1  state
///          5     3  reserved
///          8     8  sequence
///         16     4  leaseLeft        milliseconds, from when the request was sent
///         20     4  topologyVersion
public struct Proof: Hashable, Sendable {
    package static let encodedBytes = 24

    @usableFromInline package var position: LogPosition
    @usableFromInline package var state: NodeState
    @usableFromInline package var leaseLeftMilliseconds: UInt32
    @usableFromInline package var topologyVersion: UInt32

    @inlinable
    package init(
        position: LogPosition, state: NodeState, leaseLeftMilliseconds: UInt32,
        topologyVersion: UInt32
    ) {
        self.position = position
        self.state = state
        self.leaseLeftMilliseconds = leaseLeftMilliseconds
        self.topologyVersion = topologyVersion
    }

    @inlinable
    package func encode(into writer: inout ByteWriter) {
        writer.append(position.epoch.rawValue)
        writer.append(UInt32(state.rawValue))
        writer.append(position.sequence.rawValue)
        writer.append(leaseLeftMilliseconds)
        writer.append(topologyVersion)
    }

    @inlinable
    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let epoch = try reader.next(UInt32.self)
        guard let state = NodeState(rawValue: try reader.next(UInt8.self)) else {
            throw WireRefusal(.malformed, "the state of the node is not known")
        }
        try reader.reserved(3)
        position = LogPosition(epoch: Epoch(epoch), sequence: try reader.sequence())
        self.state = state
        leaseLeftMilliseconds = try reader.next(UInt32.self)
        topologyVersion = try reader.next(UInt32.self)
    }
}
