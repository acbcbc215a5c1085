import CacheModel

/// One resident entry: the address of its block.
///
/// A bare address, so copying it copies nothing and owns nothing: the tier alone makes and frees
/// blocks, and every other holder – a bucket's slot, the policy's queue – is told before it does.
package struct Entry: Equatable {
    /// What an entry is charged beyond its block: its slot in a bucket at the least load after
    /// growth, its slot in a queue, and a ghost.
    static let shareBytes = 32

    let head: UnsafeMutablePointer<EntryHead>

    init(head: UnsafeMutablePointer<EntryHead>) {
        self.head = head
    }

    /// The entry whose block begins at `word`; `nil` for zero.
    @inline(__always)
    init?(word: UInt64) {
        guard let head = UnsafeMutablePointer<EntryHead>(bitPattern: UInt(word)) else {
            return nil
        }
        self.head = head
    }

    @inline(__always)
    var word: UInt64 { UInt64(UInt(bitPattern: head)) }

    private var base: UnsafeMutableRawPointer { UnsafeMutableRawPointer(head) }

    @inline(__always)
    var key: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: UnsafeRawPointer(head) + head.pointee.keyOffset,
            count: Int(head.pointee.keyBytes))
    }

    /// ``Version/none`` unless it was stored with one.
    var version: Version {
        guard head.pointee.flags.contains(.versioned) else { return .none }
        return Version(base.load(fromByteOffset: EntryHead.bytes, as: UInt64.self))
    }

    func tagID(_ index: Int) -> TagID {
        let offset = head.pointee.tagIDsOffset + 4 * index
        return TagID(rawValue: base.load(fromByteOffset: offset, as: UInt32.self))
    }

    var costBytes: Int { Self.costBytes(block: head.pointee.blockBytes) }

    /// What a block of `block` bytes is charged: as much as the allocator takes for it – its
    /// length word, rounded up to sixteen – and ``shareBytes``.
    static func costBytes(block: Int) -> Int {
        (block + 8 + 15) / 16 * 16 + shareBytes
    }

    @inline(__always)
    func countHit() {
        let frequency = head.pointee.frequency
        if frequency < EntryHead.frequencyMax { head.pointee.frequency = frequency &+ 1 }
    }

    /// Marks it stale since `moment`. The first mark stays: a stale window is never restarted.
    func soften(since moment: Instant) {
        if head.pointee.flags.contains(.soft), head.pointee.softSince <= moment { return }
        head.pointee.flags.insert(.soft)
        head.pointee.softSince = moment
    }
}

// MARK: - Making and freeing blocks

extension Entry {
    /// Builds the block of `candidate`. The caller owns it from here on.
    static func make(
        _ candidate: StoreCandidate, tagIDs: UnsafeBufferPointer<TagID>, now: Instant,
        identity: UInt32
    ) -> Entry {
        let initial = EntryHead(candidate, tagCount: tagIDs.count, now: now, identity: identity)
        let base = UnsafeMutableRawPointer.allocate(
            byteCount: initial.blockBytes, alignment: 16)
        let head = base.bindMemory(to: EntryHead.self, capacity: 1)
        head.initialize(to: initial)
        if initial.flags.contains(.versioned) {
            base.storeBytes(
                of: candidate.version.rawValue, toByteOffset: EntryHead.bytes, as: UInt64.self)
        }
        for (index, id) in tagIDs.enumerated() {
            base.storeBytes(
                of: id.rawValue, toByteOffset: initial.tagIDsOffset + 4 * index, as: UInt32.self)
        }
        copy(candidate.key, to: base + initial.keyOffset)
        copy(candidate.validator, to: base + initial.validatorOffset)
        copy(candidate.value, to: base + initial.valueOffset)
        return Entry(head: head)
    }

    /// Gives the block back. No address of it may be left anywhere.
    func free() {
        base.deallocate()
    }

    private static func copy(
        _ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer
    ) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        target.copyMemory(from: source, byteCount: bytes.count)
    }
}

extension EntryHead {
    /// The head of `candidate`, whose lengths have been checked.
    init(_ candidate: StoreCandidate, tagCount: Int, now: Instant, identity: UInt32) {
        var flags = EntryFlags()
        if candidate.isUnfenced { flags.insert(.unfenced) }
        if candidate.version > .none { flags.insert(.versioned) }
        self.init(
            hash: candidate.hash, fill: candidate.fill,
            expiresAt: candidate.expiresAt?.nanoseconds ?? Self.never, storedAt: now,
            valueBytes: UInt32(candidate.value.count), identity: identity,
            keyBytes: UInt16(candidate.key.count), namespace: candidate.namespace,
            tagCount: UInt8(tagCount), validatorBytes: UInt8(candidate.validator.count),
            flags: flags)
    }
}
