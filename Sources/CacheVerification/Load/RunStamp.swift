/// What tells the values of one verified run from those of another: 24 bits, drawn anew by each
/// process and the same for all of its threads. Machines that test together need not agree on one:
/// each asks only for what it stored itself.
package struct RunStamp: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt32

    /// Takes the low 24 bits.
    package init(_ bits: UInt64) {
        rawValue = UInt32(truncatingIfNeeded: bits & 0xFF_FFFF)
    }

    package var description: String { String(rawValue, radix: 16) }
}
