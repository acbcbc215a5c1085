public import CacheModel

/// When an entry ends, in the 35 bits that it has for this: finer for what is near.
///
///     nanoseconds after boot     about         steps of
///     0                                        2^22 ns     4 ms
///     1 · 2^56                   2.3 years     2^24 ns     17 ms
///     3 · 2^56                   6.9 years     2^26 ns     67 ms
///     7 · 2^56                   16 years      2^33 ns     8.6 s
///
/// Every moment that an ``CacheModel/Instant`` counts has an end, 584 years of them. It is rounded
/// so that an entry ends early by less than a step, and never late. A later moment never has a
/// lesser end.
public struct EntryEnd: Equatable, Comparable, Sendable {
    /// 35 bits.
    @usableFromInline package let rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The step in which `moment` lies: what ends in it or before is over.
    @inlinable
    package init(_ moment: Instant) {
        let tick = moment.nanoseconds &>> Self.tickShift
        rawValue = tick < Self.ticksMax ? tick : Self.coarse(moment.nanoseconds)
    }

    /// Of what never ends.
    @inlinable package static var never: EntryEnd { EntryEnd(rawValue: mask) }
    @inlinable package static var mask: UInt64 { 1 << 35 - 1 }
    /// The finest steps, in which slabs count as well.
    @inlinable package static var tickShift: UInt64 { 22 }
    /// So many of them are told apart.
    @usableFromInline static var ticksMax: UInt64 { 1 << 34 }

    /// Nanoseconds after boot; the greatest number if it never comes.
    @inlinable package var nanoseconds: UInt64 {
        if rawValue < Self.ticksMax { return rawValue &<< Self.tickShift }
        return self == .never ? .max : Self.begin(of: rawValue)
    }

    /// The same in whole ticks; ``neverTick`` if it never comes.
    @inlinable package var tick: UInt64 {
        self == .never ? Self.neverTick : nanoseconds &>> Self.tickShift
    }

    /// Later than any tick that comes.
    @inlinable package static var neverTick: UInt64 { .max }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

// MARK: - Coarser steps

extension EntryEnd {
    /// Ends that are equally far apart.
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
