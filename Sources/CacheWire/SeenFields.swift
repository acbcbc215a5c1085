/// Which fields of one list were met already, so that the second of a kind is refused.
///
/// Known ids lie in 0 … 63 once the critical bit is taken off, so a word holds them.
struct SeenFields {
    private var bits: UInt64 = 0

    /// Notes a field that may stand once.
    ///
    /// - Throws: `malformed` if it was noted before.
    mutating func note(_ id: UInt8) throws(WireRefusal) {
        let bit: UInt64 = 1 << UInt64(id & 63)
        guard bits & bit == 0 else {
            throw WireRefusal(.malformed, "a field that may stand once stands twice")
        }
        bits |= bit
    }
}
