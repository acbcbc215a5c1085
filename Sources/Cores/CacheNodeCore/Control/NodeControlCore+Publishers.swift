import CacheInvalidation
package import CacheModel
import CacheWire

/// Several publishers, of which one leads (docs/protocol.md 8.6).
///
/// A change hides nothing and gives up no lease: the log continues, and the lease runs to its own
/// end. What was requested of the old publisher is requested again after the next WELCOME.
///
/// Messages of an old publisher that arrive late do no harm. Answers to requests of an earlier
/// connection are dropped; RECORDS are linked by digests; a head that lies behind is of a publisher
/// that has not heard of its successor.
extension NodeControlCore {
    /// Leaves the present publisher for another one.
    mutating func change(
        _ cause: PublisherRotation.Cause, now: Instant, into actions: inout [NodeControlAction]
    ) {
        if let report = link.rotation.report(cause) { actions.append(.report(report)) }
        link.change(cause, requestID: nextRequestID(.hello), now: now)
        replays.unanswered = nil
        heads.dropRequest()
        config.refused()
        // Versions of two publishers cannot be compared.
        topology.forget()
        floors.dropRequest()
        continueGreeting(now: now, into: &actions)
    }

    /// The control connection to `endpoint` cannot be opened, `because` of an error to be reported.
    package mutating func cannotConnect(
        to endpoint: String, because reason: String, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        guard case .greeting = link.state, link.rotation.present == endpoint else { return }
        change(.unusable(reason: reason), now: now, into: &actions)
    }

    /// A publisher that does not lead does nothing more of a request; what it did while it led, it
    /// may have done. A publish waits for the next WELCOME then, and is sent again with its
    /// operation id. While the node greets, an answer to a publish is of an earlier connection.
    mutating func received(
        _ reply: NotLeader, requestID: UInt64, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        let isPublish = ControlRequestID.kind(of: requestID) == .publish
        switch link.state {
        case .joined: break
        case .greeting where !isPublish: break
        case .idle, .listening, .greeting, .stopped: return
        }
        change(.notLeading(leader: reply.controlEndpoint), now: now, into: &actions)
    }

    mutating func checkSilence(now: Instant, into actions: inout [NodeControlAction]) {
        switch link.takeSilence(now: now) {
        case .doubted: pingAtOnce(now: now)
        case .lost(let duration): change(.silent(for: duration), now: now, into: &actions)
        case nil: break
        }
    }

    /// Handles the publisher's head in a HEARTBEAT or PONG.
    ///
    /// Of several publishers, one that has led may report an older head of the log, late. What
    /// contradicts it is a digest, not the position: a leader whose log was restored behind this
    /// node refuses its mark.
    mutating func hear(
        _ head: LogMark, of log: LogID, now: Instant, into actions: inout [NodeControlAction]
    ) {
        if link.rotation.areSeveral, subscriber.hasPassed(head, of: log) { return }
        perform(subscriber.receivedHeartbeat(log: log, head: head), now: now, into: &actions)
    }
}
