/// The number of attempts at the origin, by urgency; aborted ones count until they are finished.
struct Flights: Equatable {
    private var counts = [Int](repeating: 0, count: LoadUrgency.allCases.count)
    private(set) var total = 0

    subscript(urgency: LoadUrgency) -> Int { counts[Int(urgency.rawValue)] }

    mutating func add(_ urgency: LoadUrgency) {
        counts[Int(urgency.rawValue)] += 1
        total += 1
    }

    mutating func remove(_ urgency: LoadUrgency) {
        precondition(self[urgency] > 0, "what lands was under way")
        counts[Int(urgency.rawValue)] -= 1
        total -= 1
    }

    mutating func move(from old: LoadUrgency, to new: LoadUrgency) {
        remove(old)
        add(new)
    }
}
