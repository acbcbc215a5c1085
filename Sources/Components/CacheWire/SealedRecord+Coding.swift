package import ByteCoding
package import CacheModel

extension SealedRecord {
    ///     offset  size  field
    ///          0     4  recordBytes     48 … 65 536
    ///          4     4  epoch
    ///          8     8  sequence
    ///         16     8  previousDigest
    ///         24    16  operation
    ///         40     1  strength        0 hard, 1 soft
    ///         41     1  reserved
    ///         42     2  scopeCount      1 … 1 000
    ///         44     4  reserved
    ///         48     …  scopes, or one record of slots
    package static let headBytes = 48

    /// Encodes a record, once.
    ///
    /// - Throws: `outOfRange` if it has too many scopes or bytes, or no scope at all; `malformed`
    ///   if a scope has no meaning.
    package init(sealing record: InvalidationRecord) throws(WireRefusal) {
        precondition(!record.isOfNewerForm, "what cannot be read cannot be written")
        let count = record.slots == nil ? record.scopes.count : 1
        guard (1...InvalidationRecord.scopesMax).contains(count) else {
            throw WireRefusal(.outOfRange, "an invalidation has 1 to 1000 scopes")
        }
        guard record.scopes.isMeaningful else {
            throw WireRefusal(
                .malformed, "a minimum version belongs to keys, a hash range to all others")
        }
        var writer = ByteWriter(capacityBytes: 256)
        writer.append(UInt32(0))
        writer.append(record.position.epoch.rawValue)
        writer.append(record.position.sequence.rawValue)
        writer.append(record.previousDigest.rawValue)
        writer.append(record.operation)
        writer.append(record.strength.rawValue)
        writer.append(UInt8(0))
        writer.append(UInt16(count))
        writer.append(UInt32(0))
        if let slots = record.slots {
            slots.encodeScope(into: &writer)
        } else {
            record.scopes.encode(into: &writer)
        }
        guard writer.count <= InvalidationRecord.bytesMax else {
            throw WireRefusal(
                .outOfRange, "an invalidation has at most 65536 bytes; use a tag or send several")
        }
        writer.patch(UInt32(writer.count), at: 0)
        self.init(
            record: record, bytes: writer.array,
            digest: LogDigest(StableHash.hash(writer.bytes)))
    }

    /// Decodes the next record of a message or a log.
    ///
    /// A record of which only the envelope can be read is of a newer form: its bytes and its digest
    /// are as reliable as any other's, and its scope is *everything*.
    ///
    /// - Throws: if its length or its position is invalid, or bytes are missing.
    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        var ahead = reader
        let length = Int(try ahead.next(UInt32.self))
        guard length >= Self.headBytes else {
            throw WireRefusal(.malformed, "a record begins with a head of 48 bytes")
        }
        guard length <= InvalidationRecord.bytesMax else {
            throw WireRefusal(.outOfRange, "a record has at most 65536 bytes")
        }
        let slice = try reader.take(length)
        let bytes = [UInt8](slice)
        self.init(
            record: try InvalidationRecord(decoding: slice, kept: bytes), bytes: bytes,
            digest: LogDigest(StableHash.hash(slice)))
    }
}

extension InvalidationRecord {
    /// - Parameters:
    ///   - bytes: all bytes of the record; at least a head.
    ///   - kept: the same bytes, from which the record's names are read.
    fileprivate init(
        decoding bytes: UnsafeRawBufferPointer, kept: [UInt8]
    ) throws(WireRefusal) {
        var reader = ByteReader(bytes)
        _ = try reader.take(4)
        let epoch = try reader.next(UInt32.self)
        let position = LogPosition(epoch: Epoch(epoch), sequence: try reader.sequence())
        guard position.sequence > .none else {
            throw WireRefusal(.outOfRange, "the sequence numbers of a log begin at 1")
        }
        let previous = LogDigest(try reader.next(UInt64.self))
        do throws(WireRefusal) {
            try self.init(behindEnvelope: &reader, of: kept, at: position, previous)
        } catch {
            self.init(ofNewerFormAt: position, previousDigest: previous)
        }
    }

    private init(
        behindEnvelope reader: inout ByteReader, of kept: [UInt8], at position: LogPosition,
        _ previous: LogDigest
    ) throws(WireRefusal) {
        let operation = try OperationID(decoding: &reader)
        let strength: Strength = try reader.known(or: "the strength of a record is not known")
        try reader.reserved(1)
        let count = Int(try reader.next(UInt16.self))
        try reader.reserved(4)
        guard (1...Self.scopesMax).contains(count) else {
            throw WireRefusal(.outOfRange, "an invalidation has 1 to 1000 scopes")
        }
        if let slots = try SlotRecord(aheadIn: &reader) {
            guard count == 1, operation == .none, strength == .hard else { throw .reserved }
            try reader.expectEnd()
            self.init(position: position, previousDigest: previous, slots: slots)
            return
        }
        let scopes = try ScopeList(
            decoding: &reader, count: count, of: kept, mayTellMembers: true)
        try reader.expectEnd()
        self.init(
            position: position, previousDigest: previous, operation: operation,
            strength: strength, scopes: scopes)
    }
}

extension SealedRecord {
    /// Restores a record that this process has sealed or decoded before.
    ///
    /// - Precondition: these are its bytes.
    @Sendable
    package static func kept(_ bytes: UnsafeRawBufferPointer) -> SealedRecord {
        var reader = ByteReader(bytes)
        do throws(WireRefusal) {
            return try SealedRecord(decoding: &reader)
        } catch {
            preconditionFailure("what was sealed can be decoded: \(error)")
        }
    }
}
