public import CacheModel

/// A resident entry: the address of its block.
///
///     0      8            16         20        24     28     32       36    36 + key
///     ├ fill ┼ end · key  ┼ ordinal ─┼ value ──┼ prev ┼ next ┼ stored ┼ key ┼ sections ┼ value ┤
///     │ 8 B  │ length ·   │ checked  │ length ·│ (policy's)  │        │
///     │      │ flags ·    │ or soft  │ policy's│             │        │
///     │      │ policy's   │          │ queue   │             │        │
///
///     sections, each only if its flag is set:
///     namespace 2 │ version 8 │ tag count 1, tags 4 each, representation │ length 1, terms, ETag
///
/// Bit 7 of the tag count marks a representation, encoded as ``Representation``.
///
/// ``EntryEnd`` describes how an end is stored; the store time is kept in ticks of 2^24 ns.
///
/// A bare address: copying it copies and owns nothing. Only the tier makes, moves and frees
/// entries, and updates every other holder: a bucket's slot, the policy's lists.
public struct Entry: Equatable {
    @usableFromInline package let base: UnsafeMutableRawPointer

    @inlinable
    package init(_ base: UnsafeMutableRawPointer) {
        self.base = base
    }

    @inlinable
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.base == rhs.base }
}

// MARK: - Shape

extension Entry {
    /// Bytes before the key.
    @inlinable package static var headBytes: Int { 36 }
    /// Maximum bytes of a value: its length takes 27 bits.
    @inlinable package static var valueBytesMax: Int { 1 << 27 - 1 }
    @inlinable package static var keyShift: UInt64 { 35 }
    @inlinable package static var flagsShift: UInt64 { 47 }
    @inlinable package static var storedTickShift: UInt64 { 24 }
    /// Maximum age: about two years. The ticks wrap a seventh later, and sweeps visit every entry
    /// more often than that.
    @inlinable package static var ageTicksMax: UInt32 { 7 << 29 }
    /// Maximum of ``frequency``.
    @inlinable package static var frequencyMax: UInt64 { 3 }

    /// The tick of `moment`, modulo 2^32.
    @inlinable
    package static func storedTick(_ moment: Instant) -> UInt32 {
        UInt32(truncatingIfNeeded: moment.nanoseconds &>> storedTickShift)
    }

    /// The tick so long before `moment`, which may precede the machine's boot. At most
    /// ``ageTicksMax`` is subtracted.
    package static func storedTick(_ moment: Instant, lessAge age: Duration) -> UInt32 {
        let nanoseconds = min(age.wholeNanoseconds, UInt64(ageTicksMax) << storedTickShift)
        return storedTick(Instant(nanoseconds: moment.nanoseconds &- nanoseconds))
    }

    /// Ticks since `tick`, at most ``ageTicksMax``.
    @inlinable
    package static func ticks(since tick: UInt32, at now: Instant) -> UInt32 {
        min(storedTick(now) &- tick, ageTicksMax)
    }
}

// MARK: - Fields

extension Entry {
    /// The position at or after which the value was read.
    @inlinable package var fill: FillStamp {
        get { FillStamp(rawValue: base.load(as: UInt64.self)) }
        nonmutating set { base.storeBytes(of: newValue.rawValue, as: UInt64.self) }
    }

    /// End, key length, flags, frequency and stamp: 35, 12, 7, 2 and 8 bits.
    @inlinable package var word: UInt64 {
        @inline(__always) get { base.load(fromByteOffset: 8, as: UInt64.self) }
        @inline(__always) nonmutating set {
            base.storeBytes(of: newValue, toByteOffset: 8, as: UInt64.self)
        }
    }

    /// When it is no longer served.
    @inlinable package var end: EntryEnd {
        @inline(__always) get { EntryEnd(rawValue: word & EntryEnd.mask) }
        nonmutating set { word = word & ~EntryEnd.mask | newValue.rawValue }
    }

    @inlinable package var keyBytes: Int {
        Int(truncatingIfNeeded: word &>> Self.keyShift & 0xFFF) &+ 1
    }

    @inlinable package var flags: EntryFlags {
        get { EntryFlags(rawValue: UInt8(truncatingIfNeeded: word &>> Self.flagsShift & 0x7F)) }
        nonmutating set {
            word =
                word & ~(0x7F << Self.flagsShift) | UInt64(newValue.rawValue) << Self.flagsShift
        }
    }

    /// Hits since the policy last considered it, at most ``frequencyMax``.
    @inlinable package var frequency: UInt64 {
        get { word &>> 54 & 3 }
        nonmutating set { word = word & ~(3 << 54) | newValue << 54 }
    }

    /// The policy's: eight bits of a priority.
    @inlinable package var stamp: UInt8 {
        get { UInt8(truncatingIfNeeded: word &>> 56) }
        nonmutating set { word = word & ~(0xFF << 56) | UInt64(newValue) << 56 }
    }

    /// The floor ordinal of its last visibility check; meaningless for a soft entry.
    @inlinable package var checkedAt: FloorOrdinal {
        get { FloorOrdinal(base.load(fromByteOffset: 16, as: UInt32.self)) }
        nonmutating set {
            base.storeBytes(of: newValue.rawValue, toByteOffset: 16, as: UInt32.self)
        }
    }

    /// When it became soft, in stored ticks; meaningless otherwise. It shares the field of
    /// ``checkedAt``, because a soft entry is checked against the floors at every lookup.
    @inlinable package var softTick: UInt32 {
        get { base.load(fromByteOffset: 16, as: UInt32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 16, as: UInt32.self) }
    }

    /// Length of the value, queue and rank: 27, 2 and 3 bits.
    @inlinable package var sizeWord: UInt32 {
        get { base.load(fromByteOffset: 20, as: UInt32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 20, as: UInt32.self) }
    }

    @inlinable package var valueBytes: Int { Int(sizeWord & UInt32(Self.valueBytesMax)) }

    /// The policy's: the queue it is in, 0 to 3.
    @inlinable package var queue: UInt32 {
        get { sizeWord &>> 27 & 3 }
        nonmutating set { sizeWord = sizeWord & ~(3 << 27) | newValue << 27 }
    }

    /// The policy's: its proven worth, 0 to 7.
    @inlinable package var rank: UInt32 {
        get { sizeWord &>> 29 }
        nonmutating set { sizeWord = sizeWord & ~(7 << 29) | newValue << 29 }
    }

    /// The policy's: its neighbours in a list, or any other eight bytes.
    @inlinable package var previous: EntryReference {
        get { EntryReference(rawValue: base.load(fromByteOffset: 24, as: UInt32.self)) }
        nonmutating set {
            base.storeBytes(of: newValue.rawValue, toByteOffset: 24, as: UInt32.self)
        }
    }

    @inlinable package var next: EntryReference {
        get { EntryReference(rawValue: base.load(fromByteOffset: 28, as: UInt32.self)) }
        nonmutating set {
            base.storeBytes(of: newValue.rawValue, toByteOffset: 28, as: UInt32.self)
        }
    }

    /// When it was stored, in ticks of 2^24 ns, modulo 2^32.
    @inlinable package var storedTick: UInt32 {
        get { base.load(fromByteOffset: 32, as: UInt32.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 32, as: UInt32.self) }
    }
}

// MARK: - Changes

extension Entry {
    @inlinable
    package func countHit() {
        let word = word
        if word &>> 54 & 3 < Self.frequencyMax { self.word = word &+ 1 << 54 }
    }

    /// Copies the policy's state of an entry that it replaces, except for the links.
    func inherit(_ old: Entry) {
        frequency = old.frequency
        stamp = old.stamp
        queue = old.queue
        rank = old.rank
    }

    /// Marks it stale since `moment`. The first mark is kept: a stale window never restarts.
    @inlinable
    package func soften(since moment: Instant) {
        if flags.contains(.soft) { return }
        flags.insert(.soft)
        softTick = Self.storedTick(moment)
    }

    /// Keeps ages from wrapping: an age beyond the maximum stays at the maximum.
    package func stopAges(at now: Instant) {
        let oldest = Self.storedTick(now) &- Self.ageTicksMax
        if Self.storedTick(now) &- storedTick > Self.ageTicksMax { storedTick = oldest }
        guard flags.contains(.soft) else { return }
        if Self.storedTick(now) &- softTick > Self.ageTicksMax { softTick = oldest }
    }
}

extension EntryView {
    /// Approximate request frequency relative to other entries of the tier: what the policy will
    /// find when it next considers the entry.
    ///
    ///     heat = rank × 16 + hits × 4 + queue          0 … 111
    ///
    /// The rank is the one for its previous rank and its hits since then; for a policy without
    /// ranks only the hits count. A hint: hits are counted to three, and a formerly hot entry cools
    /// only when the policy considers it.
    package var heat: UInt16 {
        let hits = entry.frequency
        let rank = EntryValue.rank(after: min(entry.rank, EntryValue.rankMax), hits: hits)
        return UInt16(rank) << 4 | UInt16(hits) << 2 | UInt16(entry.queue)
    }
}
