import Testing

@testable import CacheModel

@Suite struct SlotSetTests {
    private func set(_ numbers: some Sequence<Int>) -> SlotSet {
        numbers.reduce(into: SlotSet()) { set, number in
            if let slot = HashSlot(number) { set.insert(slot) }
        }
    }

    private func numbers(_ set: SlotSet) -> [Int] {
        (0..<HashSlot.count).filter { number in HashSlot(number).map(set.contains) ?? false }
    }

    @Test func aSetHasWhatWasInserted() {
        let some = [0, 1, 63, 64, 127, 8_191, 16_383]
        #expect(numbers(set(some)) == some && set(some).count == some.count)
        #expect(SlotSet().isEmpty && !set([5]).isEmpty)
        #expect(set(0..<HashSlot.count).count == HashSlot.count)
    }

    @Test func setsAreJoinedAndSubtracted() {
        var joined = set(stride(from: 0, to: 300, by: 2))
        joined.formUnion(set(stride(from: 0, to: 300, by: 3)))
        #expect(numbers(joined) == (0..<300).filter { $0 % 2 == 0 || $0 % 3 == 0 })
        joined.subtract(set(stride(from: 0, to: 300, by: 5)))
        #expect(
            numbers(joined) == (0..<300).filter { ($0 % 2 == 0 || $0 % 3 == 0) && $0 % 5 != 0 })
    }
}
