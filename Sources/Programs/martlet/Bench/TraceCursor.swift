import Synchronization

/// Which request of a trace comes next, for workers that share it.
final class TraceCursor: Sendable {
    private let taken = Atomic<Int>(0)
    private let count: Int

    init(count: Int) {
        self.count = count
    }

    /// The next index; `nil` once all are taken.
    func next() -> Int? {
        let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < count ? index : nil
    }

    var takenCount: Int { min(count, taken.load(ordering: .relaxed)) }
}
