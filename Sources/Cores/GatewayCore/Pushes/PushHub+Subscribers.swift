package import CacheAccess
package import CacheModel

/// Subscribing, reading and leaving.
extension PushHub {
    /// Accepts a subscription, and sends its first message.
    ///
    /// - Throws: ``PushRefusal`` if there are too many, or the gateway stops.
    package mutating func subscribe(
        _ subscription: PushSubscription, now: Instant, into actions: inout [PushAction]
    ) throws(PushRefusal) -> SubscriberID {
        try checkRoom()
        serial += 1
        let place = subscription.start ?? (isReady ? ring.end : nil)
        let slot = freeSlots.popLast() ?? subscribers.count
        if slot == subscribers.count { subscribers.append(nil) }
        let id = SubscriberID(slot: slot, serial: serial)
        let view = views.insert(subscription.interests, slot, for: subscription.entry)
        let subscriber = PushSubscriber(
            id: id, interests: subscription.interests, view: view,
            holder: subscription.holder, end: subscription.end, cluster: subscription.cluster,
            place: place, takenAt: now)
        subscribers[slot] = subscriber
        figures.accepted += 1
        if subscription.start != nil { figures.resumed += 1 }
        let told = self.place(of: subscriber)
        send(
            .hello(position: told, head: head, cluster: cluster), to: [slot], place: told,
            now: now, &actions)
        if isReady { begin(slot, now, &actions) }
        return id
    }

    /// Removes a subscriber that has left.
    package mutating func unsubscribe(_ id: SubscriberID) {
        guard subscriber(id) != nil else { return }
        forget(id.slot)
    }

    /// A connection has passed on bytes of its messages.
    package mutating func taken(_ id: SubscriberID, bytes: Int, now: Instant) {
        guard var subscriber = subscriber(id) else { return }
        precondition(bytes <= subscriber.pendingBytes, "nothing is taken that was not sent")
        subscriber.pendingBytes -= bytes
        subscriber.takenAt = now
        subscribers[id.slot] = subscriber
        if subscriber.stage == .replaying { enqueue(id.slot) }
    }

    /// Ends all subscriptions: the gateway stops, and accepts no more.
    package mutating func stop(into actions: inout [PushAction]) {
        isStopping = true
        for case let subscriber? in subscribers {
            cut(subscriber.id.slot, .stopping, place: place(of: subscriber), &actions)
        }
    }

    /// Ends the subscriptions under an entry that is no longer in force; their clients reconnect
    /// with the rights of now.
    ///
    /// - Parameter isOver: called once for each entry.
    package mutating func revoke(
        where isOver: (AccessEntry) -> Bool, into actions: inout [PushAction]
    ) {
        var known: [AccessEntry: Bool] = [:]
        for case let subscriber? in subscribers {
            guard let entry = subscriber.holder else { continue }
            let isRevoked = known[entry] ?? isOver(entry)
            known[entry] = isRevoked
            guard isRevoked else { continue }
            cut(subscriber.id.slot, .expired, place: place(of: subscriber), &actions)
        }
    }

    private mutating func checkRoom() throws(PushRefusal) {
        guard !isStopping else {
            throw PushRefusal(.stopping, "the gateway stops: ask another, or in a moment")
        }
        guard subscriberCount < subscribersMax else {
            figures.refused += 1
            throw PushRefusal(
                .full, "there are \(subscribersMax) subscribers here: ask another gateway, or later"
            )
        }
    }

    func subscriber(_ id: SubscriberID) -> PushSubscriber? {
        guard subscribers.indices.contains(id.slot), let subscriber = subscribers[id.slot],
            subscriber.id == id
        else { return nil }
        return subscriber
    }
}
