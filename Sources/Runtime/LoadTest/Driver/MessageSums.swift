/// The sums over the keys of one message, if a message counts as an operation: one for each kind in
/// the message.
struct MessageSums {
    private var endings = [Ending?](repeating: nil, count: MeasuredKind.count)

    mutating func removeAll() {
        for place in endings.indices { endings[place] = nil }
    }

    /// Adds a key's end.
    mutating func add(_ ending: Ending) {
        let place = Int(ending.kind.rawValue)
        guard var sum = endings[place] else {
            endings[place] = ending
            return
        }
        sum.dueAt = min(sum.dueAt, ending.dueAt)
        sum.isGood = sum.isGood || ending.isGood
        sum.isAside = sum.isAside && ending.isAside
        endings[place] = sum
    }

    /// Removes and returns the sums of one kind; `nil` if none of its keys ended.
    mutating func take(_ kind: Int) -> Ending? {
        defer { endings[kind] = nil }
        return endings[kind]
    }
}
