package import CacheModel
import ByteCoding
import CacheLoading
import CacheWire

extension PeerLoads {
    /// The next request of a load: its key, or the next part of its value.
    func question(of load: PeerLoad, now: Instant) -> [UInt8] {
        let request = load.load.request
        var writer = ByteWriter()
        var message = MessageWriter(.get, requestID: load.question, into: &writer)
        message.field(request.namespace, into: &writer)
        message.field(MessageFields.ID.atLeast, load.terms.atLeast, into: &writer)
        let left = load.deadline.elapsed(since: now).wholeMilliseconds
        message.field(MessageFields.ID.deadline, UInt32(clamping: left), into: &writer)
        message.field(request.trace, into: &writer)
        switch load.terms.freshness {
        case .any: break
        case .noOlder(let age):
            message.field(
                MessageFields.ID.maxAge, UInt32(clamping: age.wholeMilliseconds), into: &writer)
        case .new: message.field(.networkOnly, into: &writer)
        }
        message.field(peerUrgency: load.load.urgency.rawValue, into: &writer)
        message.field(topology?.cluster ?? .none, into: &writer)
        request.key.bytes.withUnsafeBytes {
            GetOperation.append(
                key: $0, options: .details, part: load.partial?.nextPart, to: &writer)
        }
        message.finish(&writer, count: 1)
        return writer.array
    }

    /// A frame came from a peer's shard. One that answers no request only shows that the shard is
    /// alive.
    package mutating func received(
        _ frame: UnsafeRawBufferPointer, from endpoint: String, now: Instant,
        into actions: inout [Action]
    ) {
        standings[endpoint]?.heard(now: now)
        let number = MessageHeader.requestID(ofDamaged: frame)
        guard let ticket = tickets[number], let load = loads[ticket], load.endpoint == endpoint
        else { return }
        switch PeerReply.read(frame, of: load) {
        case .outcome(let outcome):
            statistics.answers += 1
            _ = take(ticket)
            actions.append(.answer(ticket, outcome))
        case .part(let partial):
            forgetQuestion(of: load)
            var more = load
            more.partial = partial
            ask(ticket, more, now: now, into: &actions)
        case .nothing: turnAway(ticket, now: now, into: &actions)
        }
        checkInvariants()
    }
}
