import ByteCoding
package import CacheModel

/// Fields that few messages have. They are checked while the message is decoded, and read when they
/// are asked for: a message is copied several times while it is answered.
extension MessageFields {
    /// Those of a message.
    public struct Rare: OptionSet, Sendable {
        public let rawValue: UInt8

        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        @usableFromInline package static let retryAfter = Rare(rawValue: 1)
        @usableFromInline package static let issuer = Rare(rawValue: 2)
        @usableFromInline package static let previousRun = Rare(rawValue: 4)
        @usableFromInline package static let members = Rare(rawValue: 8)
        @usableFromInline package static let fill = Rare(rawValue: 16)
        @usableFromInline package static let move = Rare(rawValue: 32)
        @usableFromInline package static let forwarded = Rare(rawValue: 64)
        /// Content type, encoding or language.
        @usableFromInline package static let representation = Rare(rawValue: 128)
    }

    package var retryAfterMilliseconds: UInt32? {
        read(ID.retryAfter, if: .retryAfter) { bytes throws(WireRefusal) in
            try ByteReader.number(inField: bytes)
        }
    }

    /// The claimed issuer of the invalidation.
    package var issuer: UnsafeRawBufferPointer? {
        read(ID.issuer, if: .issuer) { bytes throws(WireRefusal) in bytes }
    }

    /// In WELCOME: the run of the node that last had a lease, before the one that is welcomed.
    package var previousRun: Incarnation {
        let number: UInt64? = read(ID.previousRun, if: .previousRun) { bytes throws(WireRefusal) in
            try ByteReader.number(inField: bytes)
        }
        return number.map(Incarnation.init) ?? .none
    }

    /// In TOPOLOGY REPORT: since when its nodes are the members; `nil` from a publisher that does
    /// not report members.
    package var members: MembersNote? {
        read(ID.members, if: .members) { bytes throws(WireRefusal) in try Self.note(bytes) }
    }

    /// In GET, STATUS and RESULTS: a node copies entries into its own memory. The digest of its log
    /// at ``atLeast``; in STATUS 0.
    package var fill: LogDigest? {
        let number: UInt64? = read(ID.fill, if: .fill) { bytes throws(WireRefusal) in
            try ByteReader.number(inField: bytes)
        }
        return number.map(LogDigest.init)
    }

    /// In GET, STATUS and SCAN of a node that copies entries: the record that moved their slots to
    /// it; `nil`: it is a replica.
    package var move: LogPosition? {
        read(ID.move, if: .move) { bytes throws(WireRefusal) in try Self.position(bytes) }
    }

    /// In SET and DELETE: a node forwards writes of a slot that it lost. The record that had given
    /// it the slot; `beyondAll`: they count whatever was written since.
    package var forwarded: LogPosition? {
        read(ID.forwarded, if: .forwarded) { bytes throws(WireRefusal) in
            try Self.position(bytes)
        }
    }

    /// In EXPLANATION: all fields, if some are of the representation; otherwise empty.
    package var described: UnsafeRawBufferPointer {
        rare.contains(.representation) ? bytes : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    // MARK: Decoding

    mutating func checkRare(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) {
        switch id {
        case ID.retryAfter:
            _ = try ByteReader(field: bytes, bytes: 4)
            rare.insert(.retryAfter)
        case ID.issuer:
            try Self.checkIssuer(bytes)
            rare.insert(.issuer)
        case ID.previousRun:
            _ = try ByteReader(field: bytes, bytes: 8)
            rare.insert(.previousRun)
        case ID.members:
            _ = try Self.note(bytes)
            rare.insert(.members)
        case ID.fill:
            _ = try ByteReader(field: bytes, bytes: 8)
            rare.insert(.fill)
        default:
            _ = try Self.position(bytes)
            rare.insert(id == ID.move ? .move : .forwarded)
        }
    }

    static func position(_ bytes: UnsafeRawBufferPointer) throws(WireRefusal) -> LogPosition {
        var value = try ByteReader(field: bytes, bytes: 12)
        return try value.position()
    }

    private static func note(_ bytes: UnsafeRawBufferPointer) throws(WireRefusal) -> MembersNote {
        var value = try ByteReader(field: bytes, bytes: 13)
        // Any other value of a later release means not settled.
        let standing = try value.next(UInt8.self)
        return MembersNote(
            isSettled: standing == 1, isBySlots: standing == 2, asOf: try value.position())
    }

    private static func checkIssuer(_ bytes: UnsafeRawBufferPointer) throws(WireRefusal) {
        guard String(validating: bytes, as: UTF8.self).flatMap({ Issuer($0) }) != nil else {
            throw WireRefusal(
                .malformed, "an issuer has 1 to 64 bytes of UTF-8 without control characters")
        }
    }

    /// Reads a field that was checked while decoding.
    ///
    /// - Complexity: O(fields).
    private func read<Value>(
        _ id: UInt8, if kind: Rare, _ decode: (UnsafeRawBufferPointer) throws(WireRefusal) -> Value
    ) -> Value? {
        guard rare.contains(kind) else { return nil }
        do throws(WireRefusal) {
            var reader = ByteReader(bytes)
            while !reader.isAtEnd {
                let found = try reader.next(UInt8.self)
                let value = try reader.take(Int(try reader.next(UInt8.self)))
                if found == id { return try decode(value) }
            }
            return nil
        } catch {
            preconditionFailure("the fields were decoded before: \(error.sentence)")
        }
    }
}
