package import ByteCoding
package import CacheModel

extension FillToken {
    ///     offset  size  field
    ///          0     4  epoch
    ///          4     4  validMilliseconds   counted from the request that missed
    ///          8     8  sequence
    ///         16     8  incarnation
    ///         24     8  nonce
    package static let encodedBytes = 32

    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let epoch = try reader.next(UInt32.self)
        _ = try reader.next(UInt32.self)
        let position = LogPosition(epoch: Epoch(epoch), sequence: try reader.sequence())
        let incarnation = Incarnation(try reader.next(UInt64.self))
        self.init(
            position: position, incarnation: incarnation, nonce: try reader.next(UInt64.self))
    }

    /// The validity in the token that comes next. It belongs to the answer that issues the token,
    /// not to the token: the node that receives the token back ignores it.
    package static func validMilliseconds(in reader: ByteReader) throws(WireRefusal) -> UInt32 {
        var ahead = reader
        _ = try ahead.take(4)
        return try ahead.next(UInt32.self)
    }

    package func encode(validMilliseconds: UInt32, into writer: inout ByteWriter) {
        writer.append(position.epoch.rawValue)
        writer.append(validMilliseconds)
        writer.append(position.sequence.rawValue)
        writer.append(incarnation.rawValue)
        writer.append(nonce)
    }
}
