import ByteCoding
import CacheInvalidation
package import CacheModel
import CacheWire

/// Messages of the control channel.
extension NodeControlCore {
    /// A frame came from the control connection. Its bytes must be valid only during the call.
    package mutating func receivedControl(
        frame: UnsafeRawBufferPointer, now: Instant, into actions: inout [NodeControlAction]
    ) {
        if isStopped { return }
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            if try !receivedAboutLog(message, now: now, into: &actions) {
                try receivedOther(message, frame: frame, now: now, into: &actions)
            }
            hearControl(now: now)
            // A refusal is reported, and does not count as the requested answer.
            if message.type != .error { answeredAt = now }
        } catch {
            reportDamage(error, into: &actions)
        }
    }

    /// - Returns: whether the message was about the log and this node's position in it.
    private mutating func receivedAboutLog(
        _ message: MessageView, now: Instant, into actions: inout [NodeControlAction]
    ) throws(WireRefusal) -> Bool {
        switch message.type {
        case .welcome:
            received(try Welcome(decoding: message), now: now, into: &actions)
        case .pong:
            let pong = try Pong(decoding: message)
            if ControlRequestID.kind(of: message.requestID) == .head {
                receivedHead(pong, requestID: message.requestID, now: now, into: &actions)
            } else {
                received(pong, now: now, into: &actions)
            }
        case .replay:
            let run = try RecordRun(decoding: message)
            received(run, requestID: message.requestID, now: now, into: &actions)
        case .floorSnapshot:
            let part = try FloorSnapshotPart(decoding: message)
            received(part, requestID: message.requestID, now: now, into: &actions)
        case .truncated:
            let truncated = try Truncated(decoding: message.body)
            received(truncated, requestID: message.requestID, now: now, into: &actions)
        default:
            return false
        }
        return true
    }

    private mutating func receivedOther(
        _ message: MessageView, frame: UnsafeRawBufferPointer, now: Instant,
        into actions: inout [NodeControlAction]
    ) throws(WireRefusal) {
        switch message.type {
        case .receipt:
            let receipt = try Receipt(decoding: message)
            received(receipt, requestID: message.requestID, into: &actions)
        case .configReport:
            let report = try ConfigReport(decoding: message.body)
            guard config.received(version: report.revision) else { return }
            actions.append(.configuration(revision: report.revision, text: report.text))
        case .topologyReport:
            let report = try TopologyReport(decoding: message)
            // It may have been sent before this epoch began, and cannot report the current members.
            let epoch = subscriber.applied.position.epoch
            if let note = message.fields.members, note.asOf.epoch < epoch {
                return topology.forget()
            }
            guard topology.received(version: report.version) else { return }
            actions.append(.topology(frame: [UInt8](frame)))
        case .error:
            let reply = try ErrorReply(decoding: message)
            received(reply, requestID: message.requestID, now: now, into: &actions)
        default:
            throw WireRefusal(.unsupported, "a publisher does not send this to a node")
        }
    }

    /// The meaning of an ERROR depends on its request: for HELLO, the configuration does not know
    /// this node; for any other, the publisher was restarted and does not know this run.
    private mutating func received(
        _ reply: ErrorReply, requestID: UInt64, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        let kind = ControlRequestID.kind(of: requestID)
        if kind == .floors, reply.knownCode != .notRegistered {
            return refusedFloors(reply.knownCode, requestID: requestID, into: &actions)
        }
        if reply.knownCode == .notRegistered {
            if kind == .hello {
                actions.append(.fatal(sentence: reply.message))
            } else if case .joined = phase {
                actions.append(.report(.forgottenByPublisher))
                greet(now: now, into: &actions)
            }
            return
        }
        if kind == .topology { topology.refused() }
        if kind == .config { config.refused() }
        if kind == .publish {
            guard let entry = publishes.finish(requestID) else { return }
            let failure = PublishFailure.refused(code: reply.code, message: reply.message)
            return answer(entry, .failure(failure), into: &actions)
        }
        actions.append(.report(.refused(code: reply.code, message: reply.message)))
    }

    /// Restarts the silence timer of the control channel.
    private mutating func hearControl(now: Instant) {
        guard case .joined(var joined) = phase else { return }
        joined.heardAt = now
        phase = .joined(joined)
    }

    /// Requests the configuration and the topology if the publisher has other versions.
    mutating func fetch(
        _ versions: SharedVersions, now: Instant, into actions: inout [NodeControlAction]
    ) {
        guard case .joined = phase else { return }
        if config.heard(version: versions.configRevision, now: now) {
            ask(.config, as: .config, into: &actions)
        }
        if topology.heard(version: versions.topologyVersion, now: now) {
            ask(.topology, as: .topology, into: &actions)
        }
    }

    private mutating func ask(
        _ type: MessageType, as kind: ControlRequestID.Kind,
        into actions: inout [NodeControlAction]
    ) {
        let requestID = nextRequestID(kind)
        send(into: &actions) { writer in
            MessageWriter(type, requestID: requestID, into: &writer).finish(&writer, count: 0)
        }
    }

    /// Encodes one frame and appends the action that sends it.
    func send(into actions: inout [NodeControlAction], _ encode: (inout ByteWriter) -> Void) {
        var writer = ByteWriter(capacityBytes: 256)
        encode(&writer)
        actions.append(.sendControl(bytes: writer.array))
    }
}
