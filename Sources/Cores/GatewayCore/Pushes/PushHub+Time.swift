package import CacheModel

/// Periodic work.
extension PushHub {
    /// Called every ``PushLimits/tickSpacing``: sends heartbeats to a part of the subscribers, and
    /// checks that they still read.
    package mutating func tick(now: Instant, into actions: inout [PushAction]) {
        tickCount += 1
        let bucket = tickCount % PushLimits.heartbeatBuckets
        var live: [Int] = []
        for slot in stride(
            from: bucket, to: subscribers.count, by: PushLimits.heartbeatBuckets)
        {
            guard let subscriber = subscribers[slot] else { continue }
            if let ending = ending(of: subscriber, now) {
                cut(slot, ending, place: place(of: subscriber), &actions)
            } else if subscriber.stage == .live {
                live.append(slot)
            } else if subscriber.pendingBytes <= PushLimits.queueBytesMax {
                // A replay may queue more than this, and a heartbeat must not cut its reader.
                let told = place(of: subscriber)
                send(beat(told, now), to: [slot], place: told, now: now, &actions)
            }
        }
        guard !live.isEmpty else { return }
        send(beat(ring.end, now), to: live, place: ring.end, now: now, &actions)
    }

    func beat(_ position: LogPosition?, _ now: Instant) -> PushMessage {
        .heartbeat(
            position: position, head: head, silence: heardAt.map { now.elapsed(since: $0) })
    }

    private func ending(of subscriber: PushSubscriber, _ now: Instant) -> PushEnding? {
        if let end = subscriber.end, now >= end { return .expired }
        let waited = now.elapsed(since: subscriber.takenAt)
        return subscriber.pendingBytes > 0 && waited >= PushLimits.stallMax ? .stalled : nil
    }
}
