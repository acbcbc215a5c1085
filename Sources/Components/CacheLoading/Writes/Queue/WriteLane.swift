/// The writes of one key, in order.
struct WriteLane: Sendable {
    private var numbers: [WriteNumber] = []
    /// Earlier ones have left.
    private var start = 0

    var isEmpty: Bool { start == numbers.count }
    var first: WriteNumber? { isEmpty ? nil : numbers[start] }
    var all: ArraySlice<WriteNumber> { numbers[start...] }

    mutating func append(_ number: WriteNumber) { numbers.append(number) }

    /// - Complexity: amortised O(1) for the first, O(n) for another.
    mutating func remove(_ number: WriteNumber) {
        guard number != first else {
            start += 1
            if start > 64, start * 2 > numbers.count {
                numbers.removeFirst(start)
                start = 0
            }
            return
        }
        guard let index = numbers[start...].firstIndex(of: number) else { return }
        numbers.remove(at: index)
    }
}
