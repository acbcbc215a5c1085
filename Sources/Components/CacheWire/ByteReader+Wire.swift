public import ByteCoding
public import CacheModel

extension ByteReader {
    /// A reader of a field's value, with a length fixed by the field's kind.
    ///
    /// - Throws: `malformed` if it has another length.
    package init(field value: UnsafeRawBufferPointer, bytes: Int) throws(WireRefusal) {
        guard value.count == bytes else {
            throw WireRefusal(.malformed, "a field is shorter or longer than its kind")
        }
        self.init(value)
    }

    /// The next integer; a message that ends too early is malformed.
    @inlinable
    package mutating func next<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type
    ) throws(WireRefusal) -> Value {
        do {
            return try integer(type)
        } catch {
            throw .truncated
        }
    }

    /// The next `count` bytes; a message that ends too early is malformed.
    @inlinable
    package mutating func take(_ count: Int) throws(WireRefusal) -> UnsafeRawBufferPointer {
        do {
            return try bytes(count)
        } catch {
            throw .truncated
        }
    }

    /// The next byte as a case of an enumeration.
    ///
    /// - Throws: `malformed`, with this sentence, for a number that is no case.
    package mutating func known<Value: RawRepresentable<UInt8>>(
        or sentence: StaticString
    ) throws(WireRefusal) -> Value {
        guard let value = Value(rawValue: try next(UInt8.self)) else {
            throw WireRefusal(.malformed, sentence)
        }
        return value
    }

    /// The next byte as yes, 1, or no, 0. Any other is refused.
    package mutating func flag(or refusal: WireRefusal = .reserved) throws(WireRefusal) -> Bool {
        let byte = try next(UInt8.self)
        guard byte <= 1 else { throw refusal }
        return byte == 1
    }

    /// The value of a field that is one integer.
    ///
    /// - Throws: `malformed` if it has another length.
    package static func number<Value: FixedWidthInteger & BitwiseCopyable>(
        inField value: UnsafeRawBufferPointer
    ) throws(WireRefusal) -> Value {
        var reader = try ByteReader(field: value, bytes: MemoryLayout<Value>.size)
        return try reader.next(Value.self)
    }

    /// Skips `count` reserved bytes, which must be zero.
    @inlinable
    package mutating func reserved(_ count: Int) throws(WireRefusal) {
        for byte in try take(count) where byte != 0 { throw .reserved }
    }

    /// The end of the body: no bytes may follow.
    @inlinable
    package func expectEnd() throws(WireRefusal) {
        guard isAtEnd else {
            throw WireRefusal(.malformed, "bytes follow where the message should end")
        }
    }
}

extension ByteReader {
    /// A text of a length read before.
    package mutating func text(_ count: Int) throws(WireRefusal) -> String {
        guard let text = String(validating: try take(count), as: UTF8.self) else {
            throw WireRefusal(.malformed, "a text is not UTF-8")
        }
        return text
    }

    /// A text after one byte of length.
    package mutating func shortText() throws(WireRefusal) -> String {
        try text(Int(try next(UInt8.self)))
    }

    /// A node's id of a length read before.
    package mutating func nodeID(_ count: Int) throws(WireRefusal) -> NodeID {
        guard let id = NodeID(try text(count)) else {
            throw WireRefusal(
                .outOfRange, "a node's id has 1 to 64 of the characters a-z A-Z 0-9 . _ -")
        }
        return id
    }

    /// A sequence number: 8 bytes, of which the upper two are zero.
    @inlinable
    package mutating func sequence() throws(WireRefusal) -> SequenceNumber {
        let sequence = SequenceNumber(try next(UInt64.self))
        guard sequence <= .max else {
            throw WireRefusal(.outOfRange, "a sequence number is below 2^48")
        }
        return sequence
    }

    /// An epoch and a sequence number: 4 and 8 bytes.
    package mutating func position() throws(WireRefusal) -> LogPosition {
        let epoch = Epoch(try next(UInt32.self))
        return LogPosition(epoch: epoch, sequence: try sequence())
    }

    /// A mark: epoch 4, reserved 4, sequence 8, digest 8.
    package mutating func mark() throws(WireRefusal) -> LogMark {
        let epoch = Epoch(try next(UInt32.self))
        try reserved(4)
        let position = LogPosition(epoch: epoch, sequence: try sequence())
        return LogMark(position: position, digest: LogDigest(try next(UInt64.self)))
    }
}

extension OperationID {
    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let high = try reader.next(UInt64.self)
        self.init(high: high, low: try reader.next(UInt64.self))
    }
}
