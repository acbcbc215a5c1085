/// The keys that one thread owns: `first`, `first + stride`, … – `count` of them.
package struct OwnedKeys: Hashable, Sendable {
    package let first: Int
    package let stride: Int
    package let count: Int

    /// - Precondition: at least one key, and all of them from 0 to 2^32 - 1.
    package init(first: Int, stride: Int = 1, count: Int) {
        precondition(first >= 0 && stride > 0 && count > 0, "a thread owns at least one key")
        precondition(
            first + stride * (count - 1) <= Int(UInt32.max), "a key's number has 32 bits")
        self.first = first
        self.stride = stride
        self.count = count
    }

    package func contains(_ key: Int) -> Bool {
        key >= first && (key - first) % stride == 0 && (key - first) / stride < count
    }

    /// The index of a key among them.
    ///
    /// - Precondition: it is one of them.
    func place(of key: Int) -> Int {
        if stride == 1 {
            precondition((0..<count).contains(key &- first), "a thread judges only its own keys")
            return key - first
        }
        let (place, rest) = UInt64(truncatingIfNeeded: key &- first)
            .quotientAndRemainder(dividingBy: UInt64(stride))
        precondition(rest == 0 && place < UInt64(count), "a thread judges only its own keys")
        return Int(place)
    }
}
