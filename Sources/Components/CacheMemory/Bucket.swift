/// One line of the index: twelve tags, the number of an overflow bucket, twelve references.
struct Bucket {
    let base: UnsafeMutableRawPointer

    /// Slots with a tag that may match a hash, lowest first. A tag that follows a match may be a
    /// false match; the caller compares keys anyway.
    struct Matches {
        fileprivate var first: UInt64
        fileprivate var last: UInt32

        @inline(__always)
        mutating func next() -> Int? {
            if first != 0 {
                let slot = first.trailingZeroBitCount &>> 3
                first &= first &- 1
                return slot
            }
            guard last != 0 else { return nil }
            let slot = 8 &+ last.trailingZeroBitCount &>> 3
            last &= last &- 1
            return slot
        }
    }

    /// Finds zero bytes in tags xor tag, eight and four at a time, without a branch.
    @inline(__always)
    func matches(_ hash: KeyHash) -> Matches {
        let tag = Self.tag(hash)
        let eight = base.load(as: UInt64.self) ^ tag &* 0x0101_0101_0101_0101
        let four =
            base.load(fromByteOffset: 8, as: UInt32.self)
            ^ UInt32(truncatingIfNeeded: tag &* 0x0101_0101)
        return Matches(
            first: (eight &- 0x0101_0101_0101_0101) & ~eight & 0x8080_8080_8080_8080,
            last: (four &- 0x0101_0101) & ~four & 0x8080_8080)
    }

    @inline(__always)
    private static func tag(_ hash: KeyHash) -> UInt64 { hash.rawValue &>> 56 }

    subscript(slot: Int) -> EntryReference {
        @inline(__always) get {
            EntryReference(
                rawValue: base.load(fromByteOffset: 16 &+ 4 &* slot, as: UInt32.self))
        }
        @inline(__always) nonmutating set {
            base.storeBytes(
                of: newValue.rawValue, toByteOffset: 16 &+ 4 &* slot, as: UInt32.self)
        }
    }

    func set(_ slot: Int, _ reference: EntryReference, _ hash: KeyHash) {
        base.storeBytes(of: UInt8(Self.tag(hash)), toByteOffset: slot, as: UInt8.self)
        self[slot] = reference
    }

    var firstFree: Int? {
        var slot = 0
        while slot < EntryIndex.slotsPerBucket {
            if self[slot].isNone { return slot }
            slot &+= 1
        }
        return nil
    }

    var overflow: UInt32 {
        get { base.load(fromByteOffset: 12, as: UInt32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 12, as: UInt32.self) }
    }

    func clear() {
        base.initializeMemory(as: UInt64.self, repeating: 0, count: EntryIndex.bucketBytes / 8)
    }
}
