import Synchronization

/// Hands out each number below a count once, to the next caller.
final class SeedCounter: Sendable {
    private let taken = Atomic<Int>(0)
    private let count: Int

    init(_ count: Int) {
        self.count = count
    }

    /// From 0 on; `nil` when all are taken.
    func next() -> Int? {
        let number = taken.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < count ? number : nil
    }
}
