public import CacheModel

/// One resident entry: the address where it begins.
///
///     0      8            16         20        24     28     32       36    36 + key
///     ├ fill ┼ end · key  ┼ ordinal ─┼ value ──┼ prev ┼ next ┼ stored ┼ key ┼ sections ┼ value ┤
///     │ 8 B  │ length ·   │ checked  │ length ·│ (policy's)  │        │
///     │      │ flags ·    │ or soft  │ policy's│             │        │
///     │      │ policy's   │          │ queue   │             │        │
///
///     sections, each only where its flag stands:
///     namespace 2 │ version 8 │ tag count 1, tags 4 each, representation │ length 1, terms, ETag
///
/// Bit 7 of the tag count says that there is a representation, as ``Representation`` stores it.
///
/// How an end is kept says ``EntryEnd``; the moment of storing is kept in ticks of 2^24 ns.
///
/// A bare address, so copying it copies nothing and owns nothing: the tier alone makes, moves and
/// frees entries, and every other holder – a bucket's slot, the policy's lists – is told.
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
    /// Most bytes of a value: its length takes 27 bits.
    @inlinable package static var valueBytesMax: Int { 1 << 27 - 1 }
    @inlinable package static var keyShift: UInt64 { 35 }
    @inlinable package static var flagsShift: UInt64 { 47 }
    @inlinable package static var storedTickShift: UInt64 { 24 }
    /// Where an age stops counting: after about two years. The ticks come round a seventh later,
    /// and sweeps meet every entry more often than that.
    @inlinable package static var ageTicksMax: UInt32 { 7 << 29 }
    /// Where ``frequency`` stops counting.
    @inlinable package static var frequencyMax: UInt64 { 3 }

    /// The tick in which `moment` lies, modulo 2^32.
    @inlinable
    package static func storedTick(_ moment: Instant) -> UInt32 {
        UInt32(truncatingIfNeeded: moment.nanoseconds &>> storedTickShift)
    }

    /// The tick of so long before `moment`, which may lie before the machine's boot. More than
    /// ``ageTicksMax`` counts as that.
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
    /// The position the value is known to have been read at or after.
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

    /// The floors it was last found visible under; means nothing of a soft entry.
    @inlinable package var checkedAt: FloorOrdinal {
        get { FloorOrdinal(base.load(fromByteOffset: 16, as: UInt32.self)) }
        nonmutating set {
            base.storeBytes(of: newValue.rawValue, toByteOffset: 16, as: UInt32.self)
        }
    }

    /// When it became soft, in stored ticks; means nothing unless it is. It lies where
    /// ``checkedAt`` does, because a soft entry is held against the floors at every lookup.
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

    /// The policy's: which of its queues it is in, 0 to 3.
    @inlinable package var queue: UInt32 {
        get { sizeWord &>> 27 & 3 }
        nonmutating set { sizeWord = sizeWord & ~(3 << 27) | newValue << 27 }
    }

    /// The policy's: how much it has proven to be worth, 0 to 7.
    @inlinable package var rank: UInt32 {
        get { sizeWord &>> 29 }
        nonmutating set { sizeWord = sizeWord & ~(7 << 29) | newValue << 29 }
    }

    /// The policy's: its neighbours in a list, or whatever else fits eight bytes.
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
    /// One more hit.
    @inlinable
    package func countHit() {
        let word = word
        if word &>> 54 & 3 < Self.frequencyMax { self.word = word &+ 1 << 54 }
    }

    /// Takes over what the policy knows of an entry it stands for from now on, without its links.
    func inherit(_ old: Entry) {
        frequency = old.frequency
        stamp = old.stamp
        queue = old.queue
        rank = old.rank
    }

    /// Marks it stale since `moment`. The first mark stays: a stale window is never restarted.
    @inlinable
    package func soften(since moment: Instant) {
        if flags.contains(.soft) { return }
        flags.insert(.soft)
        softTick = Self.storedTick(moment)
    }

    /// Keeps ages from beginning anew: what is older than they count stays as old as that.
    package func stopAges(at now: Instant) {
        let oldest = Self.storedTick(now) &- Self.ageTicksMax
        if Self.storedTick(now) &- storedTick > Self.ageTicksMax { storedTick = oldest }
        guard flags.contains(.soft) else { return }
        if Self.storedTick(now) &- softTick > Self.ageTicksMax { softTick = oldest }
    }
}
