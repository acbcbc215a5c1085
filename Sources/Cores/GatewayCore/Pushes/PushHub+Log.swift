package import CacheModel

/// The events of the log.
extension PushHub {
    /// Sets the cluster of the log that is followed now.
    ///
    /// Positions of another cluster are of no use. A reader that came with such a position, and
    /// every reader if the ring itself is of another cluster, is sent `gone`.
    ///
    /// - Parameter told: none changes nothing.
    package mutating func isOf(
        _ told: ClusterID, now: Instant, into actions: inout [PushAction]
    ) {
        guard told != .none else { return }
        // After a loss every reader begins anew in any case.
        let isOther = told.contradicts(cluster) && !isClusterOpen
        isClusterOpen = false
        guard told != cluster else { return }
        cluster = told
        if isOther {
            guard isReady else { return ring.restart(after: ring.end) }
            return restart(after: ring.end, now, &actions)
        }
        guard isReady else { return }
        for case let subscriber? in subscribers where subscriber.cluster.contradicts(told) {
            let place = place(of: subscriber) ?? ring.end
            tellGone([subscriber.id.slot], after: place, now, &actions)
        }
    }

    /// The log will be followed after a position; nothing was heard of it before.
    ///
    /// - Parameter start: nothing older can be replayed; ``LogPosition/none`` where the log is
    ///   followed from its head.
    package mutating func follows(after start: LogPosition) {
        precondition(!isReady && ring.count == 0, "a log that is known is gone on with")
        ring.restart(after: start)
    }

    /// The next record. A known record is ignored.
    package mutating func received(
        _ received: InvalidationRecord, now: Instant, into actions: inout [PushAction]
    ) {
        heardAt = now
        var record = received
        // A record of members is no change by an application.
        if record.isForNodes { record.scopes = [] }
        guard record.position > ring.end else { return }
        figures.records += 1
        head = max(head ?? record.position, record.position)
        guard isReady else {
            if ring.end == .none {
                // Followed from its head: nothing before this record is known. No reader is live
                // yet, so none has to receive the record itself.
                ring.restart(after: record.position)
            } else {
                ring.append(record, whole: nil)
            }
            becomeReady(now, &actions)
            return
        }
        let whole = deliver(record, now, &actions)
        ring.append(record, whole: whole)
    }

    /// The publisher reported the head of its log.
    ///
    /// - Parameter isPartial: whether only a part of the log is shown to this gateway, so that the
    ///   head may never be reached.
    package mutating func beat(
        head: LogPosition, isPartial: Bool, now: Instant, into actions: inout [PushAction]
    ) {
        heardAt = now
        self.head = head
        guard isReady else {
            if headAtStart == nil {
                if ring.end == .none { ring.restart(after: head) }
                headAtStart = isPartial ? ring.end : head
            }
            becomeReady(now, &actions)
            return
        }
        judgeAhead(now, &actions)
    }

    /// Records are no longer available, or the log is another: all known records are forgotten.
    package mutating func lost(
        continuingAfter position: LogPosition, now: Instant, into actions: inout [PushAction]
    ) {
        heardAt = now
        head = position
        guard isReady else {
            ring.restart(after: position)
            isClusterOpen = true
            headAtStart = position
            becomeReady(now, &actions)
            return
        }
        // A log that begins where the old one ended has lost nothing, unless it is of another
        // cluster: then `isOf` says so.
        guard position != ring.end else { return }
        isClusterOpen = true
        restart(after: position, now, &actions)
    }

    /// Forgets the kept records, and sends `gone` to every subscriber.
    private mutating func restart(
        after position: LogPosition, _ now: Instant, _ actions: inout [PushAction]
    ) {
        let end = ring.end
        var live: [Int] = []
        for case let subscriber? in subscribers {
            if subscriber.stage == .live { live.append(subscriber.id.slot) }
        }
        let others = subscribers.compactMap { $0 }.filter { $0.stage != .live }
        ring.restart(after: position)
        tellGone(live, after: end, now, &actions)
        for subscriber in others {
            tellGone([subscriber.id.slot], after: subscriber.place ?? end, now, &actions)
        }
    }

    private mutating func becomeReady(_ now: Instant, _ actions: inout [PushAction]) {
        guard let headAtStart, ring.end >= headAtStart else { return }
        isReady = true
        for slot in subscribers.indices { begin(slot, now, &actions) }
    }

    // MARK: Delivering

    /// Sends a record to all live subscribers that it concerns.
    ///
    /// - Returns: the record as a whole, if a subscriber was sent it.
    private mutating func deliver(
        _ record: InvalidationRecord, _ now: Instant, _ actions: inout [PushAction]
    ) -> PushMessage? {
        var whole: PushMessage?
        let scopes = Array(record.scopes)
        for view in views.seeing(scopes) {
            let shown = views[view].shown(of: scopes)
            for group in views[view].groups(for: shown) {
                let slots = group.slots.filter { takes(record.position, $0) }
                guard !slots.isEmpty else { continue }
                let message = PushMessage.record(record, scopes: group.scopes.map { shown[$0] })
                if views[view].entry == nil, group.scopes.count == shown.count { whole = message }
                send(message, to: slots, place: ring.end, now: now, &actions)
            }
        }
        return whole
    }

    /// Whether a subscriber receives a new record now.
    private mutating func takes(_ position: LogPosition, _ slot: Int) -> Bool {
        guard let subscriber = subscribers[slot] else { return false }
        switch subscriber.stage {
        case .live: return true
        case .waiting, .replaying: return false
        case .ahead:
            guard let place = subscriber.place, position > place else { return false }
            aheadSlots.removeOne(slot)
            subscribers[slot]?.stage = .live
            return true
        }
    }

    // MARK: Subscribers ahead of the log

    /// A position that the log has not reached is believed until the publisher has reported twice
    /// that the log ends before it. Then it is a position of a log that no longer exists.
    private mutating func judgeAhead(_ now: Instant, _ actions: inout [PushAction]) {
        guard let head else { return }
        for slot in aheadSlots {
            guard let subscriber = subscribers[slot], let place = subscriber.place,
                case .ahead(let beats) = subscriber.stage
            else { continue }
            if ring.end >= place {
                aheadSlots.removeOne(slot)
                subscribers[slot]?.stage = .live
            } else if head < place {
                subscribers[slot]?.stage = .ahead(beats: beats + 1)
                guard beats + 1 >= PushLimits.beatsUntilGone else { continue }
                tellGone([slot], after: place, now, &actions)
            }
        }
    }
}
