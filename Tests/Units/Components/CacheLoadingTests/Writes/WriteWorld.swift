import CacheLoading
import CacheModel

/// A queue among an origin, a journal and a publisher that are in nobody's hands: whatever may
/// happen next is an event, and a world is a value, so that all ways can be gone.
struct WriteWorld {
    enum Event: Equatable {
        case ask(Int)
        /// The attempt reaches the origin, or not; its answer comes back, or not.
        case attempt(WriteNumber, reaches: Bool, isHeard: Bool)
        case publish(WriteNumber, succeeds: Bool)
        case journal(succeeds: Bool)
        case timePasses
        /// The node is killed and started again; so many records of what was being written are in
        /// the file.
        case crash(recordsWritten: Int)
    }

    /// What clients will ask for, in this order.
    let wishes: [OriginWrite]
    /// The name of a write that the origin refuses.
    let refused: OperationID?
    private(set) var queue = WriteQueue(hasJournal: true, seed: 3)
    private(set) var now = Instant(nanoseconds: 0)
    private var nextWish = 0
    private var attempts: [WriteNumber: OriginWrite] = [:]
    private var publishes: Set<WriteNumber> = []
    private var orders: [WriteQueueAction.JournalOrder] = []
    /// What survives.
    private var file: [JournalRecord] = []
    private(set) var answers: [UInt64: WriteAnswer] = [:]
    /// Which writes had an effect at the origin, in order. It knows them by their names.
    private(set) var effects: [OriginWrite] = []
    private var known: Set<OperationID> = []
    /// Keys that everybody was told of after the last effect on them.
    private(set) var told: [WriteLine: Int] = [:]
    private(set) var held: Set<WriteLine> = []
    private var nextPosition: UInt64 = 1
    /// How often something may still go wrong.
    private(set) var troubles: Int

    init(_ wishes: [OriginWrite], refused: OperationID? = nil, troubles: Int) {
        self.wishes = wishes
        self.refused = refused
        self.troubles = troubles
    }

    /// Everything that may happen next.
    var events: [Event] {
        var events: [Event] = []
        if nextWish < wishes.count { events.append(.ask(nextWish)) }
        for number in attempts.keys.sorted() {
            events.append(.attempt(number, reaches: true, isHeard: true))
            guard troubles > 0 else { continue }
            events.append(.attempt(number, reaches: true, isHeard: false))
            events.append(.attempt(number, reaches: false, isHeard: false))
        }
        for number in publishes.sorted() {
            events.append(.publish(number, succeeds: true))
            if troubles > 0 { events.append(.publish(number, succeeds: false)) }
        }
        if !orders.isEmpty {
            events.append(.journal(succeeds: true))
            if troubles > 0 { events.append(.journal(succeeds: false)) }
        }
        if attempts.isEmpty, publishes.isEmpty, orders.isEmpty, queue.nextDeadline != nil {
            events.append(.timePasses)
        }
        if troubles > 0 {
            let written = orders.first?.isWhole == false ? orders[0].records.count : 0
            for count in 0...written { events.append(.crash(recordsWritten: count)) }
        }
        return events
    }

    mutating func happens(_ event: Event) {
        var actions: [WriteQueue.Action] = []
        switch event {
        case .ask(let index):
            nextWish += 1
            let order = WriteOrder(
                ticket: WriteTicket(shard: 0, number: UInt64(index)), write: wishes[index],
                patience: .seconds(1))
            queue.asked(order, wall: 0, now: now, into: &actions)
        case .attempt(let number, let reaches, let isHeard):
            if !isHeard { troubles -= 1 }
            attempt(number, reaches: reaches, isHeard: isHeard, &actions)
        case .publish(let number, let succeeds):
            if !succeeds { troubles -= 1 }
            publish(number, succeeds: succeeds, &actions)
        case .journal(let succeeds):
            if !succeeds { troubles -= 1 }
            journal(succeeds: succeeds, &actions)
        case .timePasses:
            if let deadline = queue.nextDeadline { now = max(now, deadline) }
            queue.timeIsUp(now: now, into: &actions)
        case .crash(let count):
            troubles -= 1
            crash(recordsWritten: count, &actions)
        }
        perform(actions)
    }

    private mutating func attempt(
        _ number: WriteNumber, reaches: Bool, isHeard: Bool, _ actions: inout [WriteQueue.Action]
    ) {
        guard let write = attempts.removeValue(forKey: number) else { return }
        let isRefused = write.name == refused
        if reaches, !isRefused, known.insert(write.name).inserted {
            effects.append(write)
            told[write.line] = nil
        }
        let verdict: WriteVerdict =
            switch (isHeard, isRefused) {
            case (false, _): .down(.timedOut, retryAfter: nil)
            case (true, true): .refused(WriteRejection(status: 409))
            case (true, false): .taken
            }
        queue.attemptEnded(number, verdict, now: now, into: &actions)
    }

    private mutating func publish(
        _ number: WriteNumber, succeeds: Bool, _ actions: inout [WriteQueue.Action]
    ) {
        publishes.remove(number)
        guard succeeds else {
            return queue.published(number, at: nil, now: now, into: &actions)
        }
        nextPosition += 1
        for write in effects { told[write.line] = effects.count }
        queue.published(
            number, at: WriteStory.position(nextPosition), now: now, into: &actions)
    }

    private mutating func journal(succeeds: Bool, _ actions: inout [WriteQueue.Action]) {
        let order = orders.removeFirst()
        if succeeds { file = order.isWhole ? order.records : file + order.records }
        queue.journaled(order.number, succeeded: succeeds, now: now, into: &actions)
    }

    private mutating func crash(recordsWritten count: Int, _ actions: inout [WriteQueue.Action]) {
        if let order = orders.first { file += order.records.prefix(count) }
        (attempts, publishes, orders, held) = ([:], [], [], [])
        var writer = JournalWriter()
        guard let recovered = try? RecoveredJournal(writer.whole(file, salt: .sample)) else {
            preconditionFailure("whole records are read")
        }
        file = recovered.records
        queue = WriteQueue(hasJournal: true, seed: 3)
        queue.restore(recovered, now: now, into: &actions)
    }

    private mutating func perform(_ actions: [WriteQueue.Action]) {
        for action in actions {
            switch action {
            case .attempt(let number, let write, _): attempts[number] = write
            case .forward: preconditionFailure("no other node owns a key")
            case .publish(let number, _): publishes.insert(number)
            case .journal(let order): orders.append(order)
            case .answer(let ticket, let answer):
                precondition(answers[ticket.number] == nil, "a write is answered once")
                answers[ticket.number] = answer
            case .hold(let line): held.insert(line)
            case .release(let line, _): held.remove(line)
            }
        }
    }

    /// Nothing goes wrong any more, and everything comes to its end.
    mutating func heal() {
        troubles = 0
        var steps = 0
        while let event = events.first(where: { !Self.isAsk($0) }) ?? events.first {
            happens(event)
            steps += 1
            precondition(steps < 1_000, "it ends")
        }
    }

    private static func isAsk(_ event: Event) -> Bool {
        if case .ask = event { true } else { false }
    }

    /// What is wrong with this world now; `nil`: nothing.
    func complaint(atEnd isOver: Bool) -> String? {
        for (index, write) in wishes.enumerated() {
            guard let answer = answers[UInt64(index)] else { continue }
            if let complaint = complaint(of: write, answer, isOver: isOver) { return complaint }
        }
        for line in Set(wishes.map(\.line)) {
            let order = effects.filter { $0.line == line }.compactMap(wishes.firstIndex)
            if order != order.sorted() { return "effects of \(line.key) in order \(order)" }
            if isOver, let last = effects.lastIndex(where: { $0.line == line }),
                (told[line] ?? 0) <= last, !isLostUnanswered(line)
            {
                return "nobody was told of \(line.key)"
            }
        }
        if isOver, !held.isEmpty { return "a key is held for ever" }
        return isOver && queue.depth.waiting > 0 ? "something waits for ever" : nil
    }

    /// Whether the last effect is of a write whose asker never heard: the node died first.
    private func isLostUnanswered(_ line: WriteLine) -> Bool {
        guard let last = effects.last(where: { $0.line == line }),
            let index = wishes.firstIndex(of: last)
        else { return false }
        switch answers[UInt64(index)] {
        case nil, .unusable: return true
        default: return false
        }
    }

    private func complaint(
        of write: OriginWrite, _ answer: WriteAnswer, isOver: Bool
    ) -> String? {
        let hasEffect = effects.contains(write)
        let isListed = queue.listing.contains { $0.write == write }
        switch answer {
        case .taken where !hasEffect: return "taken, and not there: \(write.key)"
        case .queued where !hasEffect && !isListed: return "accepted and lost: \(write.key)"
        case .queued where isOver && write.name == refused && !isListed:
            return "rejected and not shown: \(write.key)"
        case .queued where isOver && write.name != refused && !hasEffect:
            return "accepted and never done: \(write.key)"
        default: return nil
        }
    }
}
