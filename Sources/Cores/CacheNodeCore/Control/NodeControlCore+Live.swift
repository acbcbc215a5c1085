import CacheInvalidation
package import CacheModel
import CacheWire

/// Messages of the live channel, and handling of its silence.
extension NodeControlCore {
    /// A frame came from the subscription. Its bytes must be valid only during the call.
    package mutating func receivedLive(
        frame: UnsafeRawBufferPointer, now: Instant, into actions: inout [NodeControlAction]
    ) {
        if isStopped { return }
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            switch message.type {
            case .records:
                let run = try RecordRun(decoding: message)
                if !run.isLazy { expectAck(of: run.records) }
                perform(subscriber.received(run.records), now: now, into: &actions)
            case .heartbeat:
                let heartbeat = try Heartbeat(decoding: message.body)
                received(heartbeat, now: now, into: &actions)
            default:
                throw WireRefusal(.unsupported, "the live channel carries records and heartbeats")
            }
        } catch {
            reportDamage(error, into: &actions)
        }
    }

    private mutating func received(
        _ heartbeat: Heartbeat, now: Instant, into actions: inout [NodeControlAction]
    ) {
        guard heartbeat.log != .none else { return }
        hearLive(now: now)
        heartbeatAt = now
        if trust == .unheard { trust = .awaiting }
        if case .listening = phase { greet(now: now, into: &actions) }
        perform(
            subscriber.receivedHeartbeat(log: heartbeat.log, head: heartbeat.head), now: now,
            into: &actions)
        fetch(heartbeat.versions, now: now, into: &actions)
    }

    /// Restarts the silence timer of the live channel.
    mutating func hearLive(now: Instant) {
        liveHeardAt = now
        resubscribeBackoff.reset()
        resubscribeAt = now.advanced(
            by: heartbeatInterval * NodeControlLimits.heartbeatsMissedMax)
    }

    /// Renews the subscription if no heartbeats have arrived for too long.
    mutating func checkLiveSilence(now: Instant, into actions: inout [NodeControlAction]) {
        guard resubscribeAt <= now else { return }
        resubscribeAt = now.advanced(by: resubscribeBackoff.next())
        statistics.resubscriptions += 1
        actions.append(.resubscribe)
        actions.append(.report(.lostLiveChannel(silence: now.elapsed(since: liveHeardAt))))
    }

    mutating func reportDamage(_ refusal: WireRefusal, into actions: inout [NodeControlAction]) {
        statistics.damagedFrames += 1
        actions.append(.report(.damagedFrame(sentence: refusal.sentence)))
    }
}
