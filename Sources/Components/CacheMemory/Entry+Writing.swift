import CacheModel

extension Entry {
    /// Writes `candidate` into a slot that is large enough for its block. The policy's links are
    /// left to the policy; the frequency and the ordinal are zero.
    func write(
        _ candidate: StoreCandidate, tagIDs: UnsafeBufferPointer<TagID>, now: Instant,
        identity: UInt32
    ) {
        fill = candidate.fill
        word = Self.word(candidate)
        checkedAt = .never
        sizeWord = UInt32(candidate.value.count)
        previous = .none
        next = .none
        storedTick = Self.storedTick(now, lessAge: candidate.age)
        var cursor = Self.headBytes
        append(candidate.key, at: &cursor)
        if flags.contains(.namespaced) {
            append(candidate.namespace.rawValue, at: &cursor)
        }
        if flags.contains(.versioned) { append(candidate.version.rawValue, at: &cursor) }
        if flags.contains(.tagged) {
            let mark = candidate.representation.isEmpty ? 0 : Self.describedMark
            append(UInt8(tagIDs.count) | mark, at: &cursor)
            for id in tagIDs { append(id.rawValue, at: &cursor) }
            append(candidate.representation, at: &cursor)
        }
        if flags.contains(.validated) {
            append(UInt8(candidate.validator.count), at: &cursor)
            append(candidate.validator, at: &cursor)
        }
        if isIdentified { append(identity, at: &cursor) }
        append(candidate.value, at: &cursor)
    }

    private static func word(_ candidate: StoreCandidate) -> UInt64 {
        let end = candidate.expiresAt.map { EntryEnd($0) } ?? .never
        return end.rawValue | UInt64(candidate.key.count - 1) << keyShift
            | UInt64(candidate.flags.rawValue) << flagsShift
    }

    private func append(_ bytes: UnsafeRawBufferPointer, at cursor: inout Int) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        (base + cursor).copyMemory(from: source, byteCount: bytes.count)
        cursor += bytes.count
    }

    private func append<Number: FixedWidthInteger>(_ number: Number, at cursor: inout Int) {
        base.storeBytes(of: number, toByteOffset: cursor, as: Number.self)
        cursor += MemoryLayout<Number>.size
    }
}
