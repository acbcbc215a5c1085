import CacheInvalidation
package import CacheModel
import CacheWire

/// Frames of the live channel and of the control channel.
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
                if !run.isLazy { acks.expect(run.records) }
                perform(subscriber.received(run.records), now: now, into: &actions)
            case .heartbeat:
                received(try Heartbeat(decoding: message.body), now: now, into: &actions)
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
        if heartbeat.log == .none {
            // While the node greets, it is of a publisher that was left.
            guard link.rotation.areSeveral, link.isJoined else { return }
            return change(.farewell, now: now, into: &actions)
        }
        link.live.receivedHeartbeat(now: now)
        authority.receivedHeartbeat()
        if case .listening = link.state { greet(now: now, into: &actions) }
        hear(heartbeat.head, of: heartbeat.log, now: now, into: &actions)
        fetch(heartbeat.versions, now: now, into: &actions)
    }

    /// A frame came from the control connection. Its bytes must be valid only during the call.
    package mutating func receivedControl(
        frame: UnsafeRawBufferPointer, now: Instant, into actions: inout [NodeControlAction]
    ) {
        if isStopped { return }
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            if link.isLate(message.requestID) { return }
            if message.type == .topologyReport {
                try receivedTopology(message, frame: frame, into: &actions)
            } else {
                try receivedControl(message, now: now, into: &actions)
            }
            let isRefusal = message.type == .error || message.type == .notLeader
            link.received(isRefusal: isRefusal, now: now)
        } catch {
            reportDamage(error, into: &actions)
        }
    }

    private mutating func reportDamage(
        _ refusal: WireRefusal, into actions: inout [NodeControlAction]
    ) {
        statistics.damagedFrames += 1
        actions.append(.report(.damagedFrame(sentence: refusal.sentence)))
    }

    private mutating func receivedControl(
        _ message: MessageView, now: Instant, into actions: inout [NodeControlAction]
    ) throws(WireRefusal) {
        let requestID = message.requestID
        switch message.type {
        case .welcome:
            received(try Welcome(decoding: message), now: now, into: &actions)
        case .pong:
            let pong = try Pong(decoding: message)
            if ControlRequestID.kind(of: requestID) == .head {
                receivedHead(pong, requestID: requestID, now: now, into: &actions)
            } else {
                received(pong, now: now, into: &actions)
            }
        case .replay:
            let run = try RecordRun(decoding: message)
            received(run, requestID: requestID, now: now, into: &actions)
        case .floorSnapshot:
            let part = try FloorSnapshotPart(decoding: message)
            let step = floors.receive(
                part, requestID: requestID, isJoined: link.isJoined, now: now)
            perform(step, now: now, into: &actions)
        case .truncated:
            let truncated = try Truncated(decoding: message.body)
            received(truncated, requestID: requestID, now: now, into: &actions)
        case .receipt:
            let receipt = try Receipt(decoding: message)
            guard let entry = publishes.finish(requestID) else { return }
            answer(entry, .success(receipt.position), into: &actions)
        case .configReport:
            let report = try ConfigReport(decoding: message.body)
            guard config.received(version: report.revision) else { return }
            actions.append(.configuration(revision: report.revision, text: report.text))
        case .notLeader:
            let reply = try NotLeader(decoding: message.body)
            received(reply, requestID: requestID, now: now, into: &actions)
        case .error:
            let reply = try ErrorReply(decoding: message)
            received(reply, requestID: requestID, now: now, into: &actions)
        default:
            throw WireRefusal(.unsupported, "a publisher does not send this to a node")
        }
    }

    private mutating func receivedTopology(
        _ message: MessageView, frame: UnsafeRawBufferPointer,
        into actions: inout [NodeControlAction]
    ) throws(WireRefusal) {
        let report = try TopologyReport(decoding: message)
        let epoch = subscriber.applied.position.epoch
        if let note = message.fields.members, shards.isOld(note, epoch) { return topology.forget() }
        let spacing = NodeControlLimits.topologySpacing(nodeCount: report.nodes.count)
        guard topology.received(version: report.version, spacing: spacing) else { return }
        membership.isBySlots = report.slots != nil
        actions.append(.topology(frame: [UInt8](frame)))
    }

    /// The meaning of an ERROR depends on its request: for HELLO, the configuration does not know
    /// this node; for any other, the publisher was restarted and does not know this run.
    private mutating func received(
        _ reply: ErrorReply, requestID: UInt64, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        switch ControlRequestID.kind(of: requestID) {
        case .hello where reply.knownCode == .notRegistered:
            return actions.append(.fatal(sentence: reply.message))
        case _ where reply.knownCode == .notRegistered:
            guard link.isJoined else { return }
            actions.append(.report(.forgottenByPublisher))
            return greet(now: now, into: &actions)
        case .floors:
            let step = floors.refused(reply.knownCode, requestID: requestID)
            return perform(step, now: now, into: &actions)
        case .publish:
            guard let entry = publishes.finish(requestID) else { return }
            let failure = PublishFailure.refused(code: reply.code, message: reply.message)
            return answer(entry, .failure(failure), into: &actions)
        case .topology: topology.refused()
        case .config: config.refused()
        default: break
        }
        actions.append(.report(.refused(code: reply.code, message: reply.message)))
    }

    /// Requests the configuration and the topology if the publisher has other versions.
    mutating func fetch(
        _ versions: SharedVersions, now: Instant, into actions: inout [NodeControlAction]
    ) {
        guard link.isJoined else { return }
        if config.reported(version: versions.configRevision, now: now) {
            send(.config, into: &actions) {
                MessageWriter(.config, requestID: $0, into: &$1).finish(&$1, count: 0)
            }
        }
        if topology.reported(version: versions.topologyVersion, now: now) {
            send(.topology, into: &actions) {
                MessageWriter(.topology, requestID: $0, into: &$1).finish(&$1, count: 0)
            }
        }
    }
}
