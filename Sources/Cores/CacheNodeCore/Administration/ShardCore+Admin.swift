import ByteCoding
package import CacheModel
package import CacheWire

extension ShardCore {
    /// The control thread passes on the publisher's report, for askers of this shard: an encoded
    /// TOPOLOGY REPORT without its request id.
    package mutating func setTopology(frame: [UInt8], now: Instant) {
        let change = cluster.updateTopology(frame, at: log.applied.position)
        if change.isOtherKind { hideOtherKind(now: now) } else { hide(change.owners, now: now) }
        entries.settleTrust(in: cluster, at: log.applied)
    }

    package mutating func setConfig(_ report: ConfigReport) { cluster.updateConfig(report) }

    /// Answers requests that are not about entries.
    mutating func answerAdmin(
        _ plan: Plan, _ evidence: RequestEvidence, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        if case .comparison(let comparison) = evidence {
            return reply(comparison, to: plan, into: &replies)
        }
        switch plan.message.type {
        case .explain where entries.disk != nil, .compare where entries.disk != nil:
            if waitsForDisk(plan, evidence, now: now, into: &replies) { return }
            bringBackAsked(by: plan, now: now)
        default: break
        }
        switch plan.message.type {
        case .status, .topology, .config: answerReport(plan, now: now, into: &replies)
        case .scan: answerScan(plan, now: now, into: &replies)
        case .count: answerCount(plan, now: now, into: &replies)
        case .explain: answerExplain(plan, now: now, into: &replies)
        case .compare: answerCompare(plan, now: now, into: &replies, effects: &effects)
        case .queue: answerQueue(plan, evidence, now: now, into: &replies, effects: &effects)
        case .drain: answerDrain(plan, into: &replies, effects: &effects)
        default:
            refuse(
                plan.frame.peer, requestID: plan.message.requestID,
                WireRefusal(.unsupported, Self.whyUnsupported(plan.message.type)), into: &replies)
        }
    }

    private static func whyUnsupported(_ type: MessageType) -> StaticString {
        switch type {
        case .invalidate:
            "a node numbers no invalidations: send them to the publisher of the topology"
        case .awaitReceipt:
            "a node does not know what the others applied: ask the publisher of the topology"
        case .forget: "a node does not know the others: ask the publisher of the topology"
        default: "a shard does not serve this type of message"
        }
    }

    private mutating func answerReport(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer
    ) {
        do throws(WireRefusal) {
            try plan.message.expectEmpty()
        } catch {
            return refuse(
                plan.frame.peer, requestID: plan.message.requestID, error, into: &replies)
        }
        switch plan.message.type {
        case .status: answerStatus(plan, now: now, into: &replies)
        case .topology: answerStored(cluster.topologyFrame, plan, into: &replies)
        default: answerStored(cluster.configFrame, plan, into: &replies)
        }
    }

    /// Sends a report that was encoded before, under the asker's request id.
    private mutating func answerStored(
        _ frame: [UInt8], _ plan: Plan, into replies: inout ReplyBuffer
    ) {
        guard !frame.isEmpty else {
            return refuse(
                plan.frame.peer, requestID: plan.message.requestID,
                WireRefusal(.unavailable, "this node has not heard its publisher yet"),
                into: &replies)
        }
        let start = replies.writer.count
        replies.writer.append(frame)
        replies.writer.patch(plan.message.requestID, at: start + 8)
        replies.close(from: start, to: plan.frame.peer, claimsFresh: false)
    }

    private mutating func answerStatus(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer
    ) {
        let start = replies.writer.count
        let isForCopies = plan.message.fields.isForCopies
        let report =
            isForCopies
            ? copyStatus(of: plan.message.fields.move, now: now) : status(now: now)
        report.encode(requestID: plan.message.requestID, into: &replies.writer)
        replies.close(from: start, to: plan.frame.peer, claimsFresh: false)
    }

    private mutating func answerScan(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer
    ) {
        do throws(WireRefusal) {
            let request = try ScanRequest(decoding: plan.message)
            let departures = cluster.handOver.departures
            let slots =
                request.move.map { SlotFilter.only(departures.slots(of: $0)) }
                ?? (departures.isEmpty ? .all : .except(departures.slots))
            let (page, lookCount) =
                request.isHottest
                ? entries.memory.hottestPage(request, in: plan.namespace, of: slots, now: now)
                : entries.memory.scanPage(request, in: plan.namespace, of: slots, now: now)
            admission.pay(plan.frame.principal, lookCount: lookCount, now: now)
            let start = replies.writer.count
            page.encode(requestID: plan.message.requestID, into: &replies.writer)
            replies.close(from: start, to: plan.frame.peer, claimsFresh: false)
        } catch {
            refuse(plan.frame.peer, requestID: plan.message.requestID, error, into: &replies)
        }
    }
}
