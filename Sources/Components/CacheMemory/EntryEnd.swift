public import CacheModel

/// The end of an entry in 35 bits: finer for near ends.
///
///     nanoseconds after boot     about         steps of
///     0                                        2^22 ns     4 ms
///     1 · 2^56                   2.3 years     2^24 ns     17 ms
///     3 · 2^56                   6.9 years     2^26 ns     67 ms
///     7 · 2^56                   16 years      2^33 ns     8.6 s
///
/// Every moment of ``CacheModel/Instant`` has an end, 584 years of them. It is rounded so that an
/// entry ends early by less than a step, and never late. A later moment never has a lesser end.
public struct EntryEnd: Equatable, Comparable, Sendable {
    /// 35 bits.
    @usableFromInline package let rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The step that contains `moment`: ends in it or before are over.
    @inlinable
    package init(_ moment: Instant) {
        let tick = moment.nanoseconds &>> Self.tickShift
        rawValue = tick < Self.ticksMax ? tick : Self.coarse(moment.nanoseconds)
    }

    /// No end.
    @inlinable package static var never: EntryEnd { EntryEnd(rawValue: mask) }
    @inlinable package static var mask: UInt64 { 1 << 35 - 1 }
    /// The finest steps, also used by slabs.
    @inlinable package static var tickShift: UInt64 { 22 }
    /// The number of finest steps.
    @usableFromInline static var ticksMax: UInt64 { 1 << 34 }

    /// Nanoseconds after boot; the greatest number for no end.
    @inlinable package var nanoseconds: UInt64 {
        if rawValue < Self.ticksMax { return rawValue &<< Self.tickShift }
        return self == .never ? .max : Self.begin(of: rawValue)
    }

    /// The same in whole ticks; ``neverTick`` for no end.
    @inlinable package var tick: UInt64 {
        self == .never ? Self.neverTick : nanoseconds &>> Self.tickShift
    }

    /// Later than any tick.
    @inlinable package static var neverTick: UInt64 { .max }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

// MARK: - Coarser steps

extension EntryEnd {
    /// A run of ends with equal steps.
    private struct Run {
        var nanoseconds: UInt64
        var rawValue: UInt64
        var shift: UInt64

        static var second: Run { Run(nanoseconds: 1 << 56, rawValue: 1 << 34, shift: 24) }
        static var third: Run { Run(nanoseconds: 3 << 56, rawValue: 3 << 33, shift: 26) }
        static var last: Run { Run(nanoseconds: 7 << 56, rawValue: 7 << 32, shift: 33) }
    }

    @usableFromInline
    static func coarse(_ nanoseconds: UInt64) -> UInt64 {
        var run = Run.second
        if nanoseconds >= Run.third.nanoseconds { run = .third }
        if nanoseconds >= Run.last.nanoseconds { run = .last }
        return run.rawValue + (nanoseconds - run.nanoseconds) >> run.shift
    }

    @usableFromInline
    static func begin(of rawValue: UInt64) -> UInt64 {
        var run = Run.second
        if rawValue >= Run.third.rawValue { run = .third }
        if rawValue >= Run.last.rawValue { run = .last }
        return run.nanoseconds + (rawValue - run.rawValue) << run.shift
    }
}
