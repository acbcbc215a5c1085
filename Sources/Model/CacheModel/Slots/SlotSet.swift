/// A set of slots: one bit each, 2 KiB.
package struct SlotSet: Hashable, Sendable {
    private static let wordBits = 64

    private var words = [UInt64](repeating: 0, count: HashSlot.count / wordBits)

    package init() {}

    package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// - Complexity: O(1).
    package func contains(_ slot: HashSlot) -> Bool {
        let number = Int(slot.rawValue)
        return words[number / Self.wordBits] >> (number % Self.wordBits) & 1 == 1
    }

    /// - Complexity: O(1).
    package mutating func insert(_ slot: HashSlot) {
        let number = Int(slot.rawValue)
        words[number / Self.wordBits] |= 1 << (number % Self.wordBits)
    }

    /// - Complexity: O(slots / 64).
    package mutating func subtract(_ other: SlotSet) {
        for index in words.indices { words[index] &= ~other.words[index] }
    }

    /// - Complexity: O(slots / 64).
    package mutating func formUnion(_ other: SlotSet) {
        for index in words.indices { words[index] |= other.words[index] }
    }
}
