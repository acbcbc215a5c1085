package import ByteCoding
package import CacheModel

extension ByteReader {
    /// A text of which the length was read before.
    package mutating func text(_ count: Int) throws(WireRefusal) -> String {
        String(decoding: try take(count), as: UTF8.self)
    }

    /// A text behind one byte of length.
    package mutating func shortText() throws(WireRefusal) -> String {
        try text(Int(try next(UInt8.self)))
    }

    /// A node's id of which the length was read before.
    package mutating func nodeID(_ count: Int) throws(WireRefusal) -> NodeID {
        guard let id = NodeID(try text(count)) else {
            throw WireRefusal(
                .outOfRange, "a node's id has 1 to 64 of the characters a-z A-Z 0-9 . _ -")
        }
        return id
    }

    /// A mark: epoch 4, reserved 4, sequence 8, digest 8.
    package mutating func mark() throws(WireRefusal) -> LogMark {
        let epoch = try next(UInt32.self)
        try reserved(4)
        let position = try LogPosition.checked(epoch: epoch, sequence: next(UInt64.self))
        return LogMark(position: position, digest: LogDigest(try next(UInt64.self)))
    }

    /// An epoch and a sequence number: 4 and 8 bytes.
    package mutating func position() throws(WireRefusal) -> LogPosition {
        let epoch = try next(UInt32.self)
        return try LogPosition.checked(epoch: epoch, sequence: next(UInt64.self))
    }
}

extension ByteWriter {
    /// A text behind one byte of length; what does not fit is cut.
    package mutating func append(shortText text: String) {
        let bytes = Array(text.utf8.prefix(Int(UInt8.max)))
        append(UInt8(bytes.count))
        append(bytes)
    }

    package mutating func append(_ mark: LogMark) {
        append(mark.position.epoch.rawValue)
        append(UInt32(0))
        append(mark.position.sequence.rawValue)
        append(mark.digest.rawValue)
    }

    package mutating func append(_ position: LogPosition) {
        append(position.epoch.rawValue)
        append(position.sequence.rawValue)
    }
}
