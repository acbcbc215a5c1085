/// Identifies the values of one verified run: 24 bits, random for each process and the same for all
/// of its threads. Machines that test together need not share one: each reads only values that it
/// stored itself.
package struct RunStamp: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt32

    /// Takes the low 24 bits.
    package init(_ bits: UInt64) {
        rawValue = UInt32(truncatingIfNeeded: bits & 0xFF_FFFF)
    }

    package var description: String { String(rawValue, radix: 16) }
}
