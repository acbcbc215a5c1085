package import CacheModel

/// Where a subscriber begins, and the replay of records that it missed.
extension PushHub {
    /// Whether ``step(now:into:)`` has something to do.
    package var hasReplays: Bool { !replayQueue.isEmpty }

    /// Decides how a subscriber continues, now that the log is known.
    mutating func begin(_ slot: Int, _ now: Instant, _ actions: inout [PushAction]) {
        guard let subscriber = subscribers[slot], subscriber.stage == .waiting else { return }
        guard let place = subscriber.place else {
            subscribers[slot]?.stage = .live
            // It subscribed before any position was known.
            send(
                beat(ring.end, now), to: [slot], place: ring.end, now: now, &actions)
            return
        }
        if subscriber.cluster.contradicts(cluster) {
            // Positions of another log: its entries may be of any time.
            tellGone([slot], after: place, now, &actions)
        } else if place == ring.end {
            subscribers[slot]?.stage = .live
        } else if place > ring.end {
            subscribers[slot]?.stage = .ahead(beats: 0)
            aheadSlots.append(slot)
        } else if place < ring.start {
            tellGone([slot], after: place, now, &actions)
        } else {
            subscribers[slot]?.stage = .replaying
            enqueue(slot)
        }
    }

    /// Sends `gone`: these subscribers continue at the end of the ring.
    mutating func tellGone(
        _ slots: [Int], after place: LogPosition, _ now: Instant, _ actions: inout [PushAction]
    ) {
        for slot in slots {
            if case .ahead? = subscribers[slot]?.stage { aheadSlots.removeOne(slot) }
            subscribers[slot]?.stage = .live
            subscribers[slot]?.cluster = .none
        }
        figures.gone += UInt64(slots.count)
        send(
            .gone(after: place, position: ring.end), to: slots, place: place, now: now, &actions)
    }

    mutating func enqueue(_ slot: Int) {
        guard let subscriber = subscribers[slot], !subscriber.isQueued,
            subscriber.pendingBytes < replayBytesAhead
        else { return }
        subscribers[slot]?.isQueued = true
        replayQueue.append(slot)
    }

    /// Continues replays: one subscriber after the other, until it has made about
    /// ``PushLimits/replayStepMax`` comparisons.
    ///
    /// - Complexity: scopes looked at × interests of the subscriber.
    package mutating func step(now: Instant, into actions: inout [PushAction]) {
        step(comparisons: PushLimits.replayStepMax, now, &actions)
    }

    mutating func step(comparisons: Int, _ now: Instant, _ actions: inout [PushAction]) {
        var budget = comparisons
        var served = 0
        while budget > 0, served < replayQueue.count {
            let slot = replayQueue[served]
            served += 1
            subscribers[slot]?.isQueued = false
            budget -= replay(slot, budget, now, &actions) + 1
        }
        let queue = replayQueue.prefix(served)
        replayQueue.removeFirst(served)
        for slot in queue where subscribers[slot]?.stage == .replaying { enqueue(slot) }
    }

    /// Sends one subscriber its next records.
    ///
    /// - Returns: how many comparisons that took.
    private mutating func replay(
        _ slot: Int, _ budget: Int, _ now: Instant, _ actions: inout [PushAction]
    ) -> Int {
        guard let subscriber = subscribers[slot], subscriber.stage == .replaying,
            var place = subscriber.place
        else { return 0 }
        guard place >= ring.start else {
            tellGone([slot], after: place, now, &actions)
            return 0
        }
        var looked = 0
        for index in ring.place(after: place)..<ring.count {
            let isFull = subscribers[slot].map { $0.pendingBytes >= replayBytesAhead }
            guard looked < budget, isFull == false else { return looked }
            looked += subscriber.interests.count * max(1, ring[index].record.scopes.count)
            if let message = message(at: index, for: subscriber) {
                figures.replayed += 1
                send(message, to: [slot], place: place, now: now, &actions)
            }
            place = ring[index].record.position
            subscribers[slot]?.place = place
        }
        subscribers[slot]?.stage = .live
        return looked
    }

    /// The message about a kept record for a subscriber; `nil` for none.
    private mutating func message(at index: Int, for subscriber: PushSubscriber) -> PushMessage? {
        let record = ring[index].record
        let view = views[subscriber.view]
        let shown = view.shown(of: Array(record.scopes))
        let scopes = shown.filter { scope in
            subscriber.interests.contains { $0.touches(scope) }
        }
        guard !scopes.isEmpty else { return nil }
        let isWhole = view.entry == nil && scopes.count == record.scopes.count
        return isWhole ? ring.whole(at: index) : .record(record, scopes: scopes)
    }
}
