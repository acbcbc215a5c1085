/// The last events, in the order they came; the oldest make room.
struct EventRing: Sendable {
    private var events: [KeyEvent] = []
    private let countMax: Int
    /// Where the next one goes, counted from the first ever.
    private var next = 0

    /// - Parameter countMax: at least 1; rounded up to a power of two.
    init(countMax: Int) {
        var power = 1
        while power < countMax { power *= 2 }
        self.countMax = power
        events.reserveCapacity(power)
    }

    /// Whether some made room.
    var hasForgotten: Bool { next > countMax }

    mutating func append(_ event: KeyEvent) {
        if events.count < countMax {
            events.append(event)
        } else {
            events[next & (countMax &- 1)] = event
        }
        next &+= 1
    }

    /// Those of one key, oldest first.
    ///
    /// - Complexity: O(events kept).
    func events(of key: Int) -> [KeyEvent] {
        events.filter { Int($0.key) == key }.sorted { $0.number < $1.number }
    }
}
