/// The fields of one list seen so far, so that a repeated field is refused.
///
/// Known ids are in 0 … 63 without the critical bit, so they fit into a word.
struct SeenFields {
    private var bits: UInt64 = 0

    /// Marks a field that may occur once.
    ///
    /// - Throws: `malformed` if it was marked before.
    mutating func note(_ id: UInt8) throws(WireRefusal) {
        let bit: UInt64 = 1 << UInt64(id & 63)
        guard bits & bit == 0 else {
            throw WireRefusal(.malformed, "a field that may occur once occurs twice")
        }
        bits |= bit
    }
}
