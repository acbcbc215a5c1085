/// The last events, in the order of arrival; new events replace the oldest.
struct EventRing: Sendable {
    private var events: [KeyEvent] = []
    private let countMax: Int
    /// Index of the next event, counted from the first one ever.
    private var next = 0

    /// - Parameter countMax: at least 1; rounded up to a power of two.
    init(countMax: Int) {
        var power = 1
        while power < countMax { power *= 2 }
        self.countMax = power
        events.reserveCapacity(power)
    }

    /// Whether some events were replaced.
    var hasForgotten: Bool { next > countMax }

    mutating func append(_ event: KeyEvent) {
        if events.count < countMax {
            events.append(event)
        } else {
            events[next & (countMax &- 1)] = event
        }
        next &+= 1
    }

    /// The events of one key, oldest first.
    ///
    /// - Complexity: O(events kept).
    func events(of key: Int) -> [KeyEvent] {
        events.filter { Int($0.key) == key }.sorted { $0.number < $1.number }
    }
}
