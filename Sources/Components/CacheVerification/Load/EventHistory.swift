import CacheModel

/// The last events of all keys of a thread: actions in one ring, answers in another, so that many
/// answers do not displace the actions.
struct EventHistory: Sendable {
    private var deeds: EventRing
    private var answers: EventRing
    private var lastNumber: UInt64 = 0

    init(_ limits: VerificationLimits) {
        deeds = EventRing(countMax: limits.deedCountMax)
        answers = EventRing(countMax: limits.answerCountMax)
    }

    mutating func note(_ event: KeyEvent) {
        lastNumber &+= 1
        var event = event
        event.number = lastNumber
        if event.kind.isAnswer { answers.append(event) } else { deeds.append(event) }
    }

    /// The events of a key, oldest first, each with its time before the last event.
    ///
    /// - Parameter promise: the receipt that counts; it comes first if the ring no longer has it.
    func lines(of key: Int, promise: KeyEvent?) -> [String] {
        var events = (deeds.events(of: key) + answers.events(of: key))
            .sorted { $0.number < $1.number }
        if let promise, !events.contains(where: { $0.isSameReceipt(as: promise) }) {
            events.insert(promise, at: 0)
        }
        guard let end = events.last?.at else { return ["nothing that is still remembered"] }
        let hasForgotten = deeds.hasForgotten || answers.hasForgotten
        let opening = hasForgotten ? ["what came before is not kept"] : []
        let times = events.map { MillisecondsText.text(of: end.elapsed(since: $0.at)) }
        let width = times.map(\.count).max() ?? 0
        return opening
            + zip(times, events).map { time, event in
                String(repeating: " ", count: width - time.count) + "-\(time)  \(event.sentence)"
            }
    }
}

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
