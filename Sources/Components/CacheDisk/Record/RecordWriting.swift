import ByteCoding

/// Writes records in place, without allocating.
struct RecordWriting {
    let seal: RecordSeal
    let segment: SegmentNumber

    /// - Parameters:
    ///   - kind: an entry, or one with a list of parts as its value.
    ///   - room: exactly `entry.recordBytes`.
    ///   - offset: in the segment.
    func write(
        _ entry: borrowing DiskEntry, as kind: RecordKind,
        into room: UnsafeMutableRawBufferPointer, at offset: Int
    ) {
        var cursor = RecordCursor(room)
        cursor.offset = 4
        var word = RecordHead.word(kind) | UInt32(entry.value.count)
        if entry.isUnfenced { word |= RecordHead.unfenced }
        if entry.softSince != nil { word |= RecordHead.soft }
        cursor.put(word)
        cursor.put(Self.sections(entry).rawValue | UInt16(entry.key.count - 1))
        cursor.put48(entry.expires?.milliseconds ?? 0)
        cursor.put48(entry.fill)
        cursor.put48(entry.stored.milliseconds)
        cursor.put(entry.key)
        if !entry.namespace.isEmpty { cursor.putCounted(entry.namespace) }
        if entry.version != 0 { cursor.put(entry.version) }
        if !entry.tags.isEmpty || !entry.representation.isEmpty {
            let mark = entry.representation.isEmpty ? 0 : RecordHead.described
            cursor.put(UInt8(entry.tags.count) | mark)
            for tag in entry.tags { cursor.putCounted(tag) }
            cursor.put(entry.representation)
        }
        if !entry.validator.isEmpty { cursor.putCounted(entry.validator) }
        if let since = entry.softSince { cursor.put48(since.milliseconds) }
        cursor.put(entry.value)
        cursor.fill()
        finish(room, at: offset)
    }

    /// A tombstone's or a reset's sixteen bytes.
    func write(
        _ kind: RecordKind, _ content: UInt64, into room: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) {
        var cursor = RecordCursor(room)
        cursor.offset = 4
        cursor.put(RecordHead.word(kind))
        cursor.put(content)
        finish(room, at: offset)
    }

    /// Writes a part of the value of that fingerprint's entry.
    func write(
        _ part: UnsafeRawBufferPointer, of fingerprint: Fingerprint, _ tag: NamespaceTag,
        into room: UnsafeMutableRawBufferPointer, at offset: Int
    ) {
        var cursor = RecordCursor(room)
        cursor.offset = 4
        cursor.put(RecordHead.word(.part) | UInt32(part.count))
        cursor.put(fingerprint.rawValue | tag.bits)
        cursor.put(part)
        cursor.fill()
        finish(room, at: offset)
    }

    private func finish(_ room: UnsafeMutableRawBufferPointer, at offset: Int) {
        let sum = seal.checksum(
            UnsafeRawBufferPointer(rebasing: room[4...]), in: segment, at: offset)
        room.storeBytes(of: sum.littleEndian, as: UInt32.self)
    }

    private static func sections(_ entry: borrowing DiskEntry) -> RecordHead.Sections {
        var sections: RecordHead.Sections = []
        if !entry.namespace.isEmpty { sections.insert(.namespace) }
        if entry.version != 0 { sections.insert(.version) }
        if !entry.tags.isEmpty || !entry.representation.isEmpty { sections.insert(.tags) }
        if !entry.validator.isEmpty { sections.insert(.validator) }
        return sections
    }
}

/// Fills raw bytes from the start.
struct RecordCursor {
    let room: UnsafeMutableRawBufferPointer
    var offset = 0

    init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

    mutating func put<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        room.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
        offset += MemoryLayout<Value>.size
    }

    mutating func put48(_ value: UInt64) {
        put(UInt32(truncatingIfNeeded: value))
        put(UInt16(truncatingIfNeeded: value >> 32))
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: room[offset..<offset + bytes.count])
            .copyMemory(from: bytes)
        offset += bytes.count
    }

    mutating func putCounted(_ bytes: UnsafeRawBufferPointer) {
        put(UInt8(bytes.count))
        put(bytes)
    }

    /// Pads with zeros.
    mutating func fill() {
        while offset < room.count { put(UInt8(0)) }
    }
}
