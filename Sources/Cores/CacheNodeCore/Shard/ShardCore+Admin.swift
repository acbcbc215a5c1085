import ByteCoding
import CacheMemory
package import CacheModel
package import CacheWire

extension ShardCore {
    /// The control thread passes on the publisher's report, for askers of this shard: an encoded
    /// TOPOLOGY REPORT without its request id.
    package mutating func setTopology(frame: [UInt8], now: Instant) {
        guard let (report, note) = frame.withUnsafeBytes({ Self.topology($0) }) else {
            preconditionFailure("the control mind hands over what it decoded")
        }
        if let topologyKind, topologyKind != report.kind { hideOtherKind(now: now) }
        topologyKind = report.kind
        topologyFrame = frame
        ownership.report(report, note)
        let members = ownership.membersInForce ?? report.members
        owners = report.kind == .sharded ? Self.owners(members) : 1
        settleLife()
    }

    /// - Returns: the report, and its MEMBERS field.
    private static func topology(
        _ frame: UnsafeRawBufferPointer
    ) -> (TopologyReport, MembersNote?)? {
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            return (try TopologyReport(decoding: message), message.fields.members)
        } catch {
            return nil
        }
    }

    /// A hash of the owners under these members. Equal for two lists under which every key has the
    /// same node and shard. Never 0 or 1.
    static func owners(_ members: [Membership.Member]) -> UInt64 {
        var writer = ByteWriter()
        writer.append(TopologyReport.Kind.sharded.rawValue)
        for member in members.sorted(by: { $0.node.name < $1.node.name }) {
            writer.append(shortText: member.node.name)
            writer.append(UInt32(member.shards))
            writer.append(member.weightThousandths)
        }
        return StableHash.hash(writer.array) | 2
    }

    package mutating func setConfig(_ report: ConfigReport) {
        var writer = ByteWriter()
        report.encode(requestID: 0, into: &writer)
        configFrame = writer.array
    }

    /// Answers requests that are not about entries.
    mutating func answerAdmin(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        if let comparisonAtHand { return reply(comparisonAtHand, to: plan, into: &replies) }
        switch plan.message.type {
        case .explain where disk != nil, .compare where disk != nil:
            if waitsForDisk(plan, now: now, into: &replies) { return }
            bringBackAsked(by: plan, now: now)
        default: break
        }
        switch plan.message.type {
        case .status, .topology, .config: answerReport(plan, now: now, into: &replies)
        case .scan: answerScan(plan, now: now, into: &replies)
        case .count: answerCount(plan, now: now, into: &replies)
        case .explain: answerExplain(plan, now: now, into: &replies)
        case .compare: answerCompare(plan, now: now, into: &replies, effects: &effects)
        case .queue: answerQueue(plan, now: now, into: &replies, effects: &effects)
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
            "a node does not know what the others obeyed: ask the publisher of the topology"
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
        case .topology: answerStored(topologyFrame, plan, into: &replies)
        default: answerStored(configFrame, plan, into: &replies)
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
        let isForCopies = plan.message.fields.fill != nil
        let report = isForCopies ? copyStatus(now: now) : status(now: now)
        report.encode(requestID: plan.message.requestID, into: &replies.writer)
        replies.close(from: start, to: plan.frame.peer, claimsFresh: false)
    }

    private mutating func answerScan(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer
    ) {
        do throws(WireRefusal) {
            let request = try ScanRequest(decoding: plan.message)
            let (page, lookCount) =
                request.isHottest
                ? hottest(request, in: plan.namespace, now: now)
                : scan(request, in: plan.namespace, now: now)
            pay(plan.frame.principal, lookCount: lookCount, now: now)
            let start = replies.writer.count
            page.encode(requestID: plan.message.requestID, into: &replies.writer)
            replies.close(from: start, to: plan.frame.peer, claimsFresh: false)
        } catch {
            refuse(plan.frame.peer, requestID: plan.message.requestID, error, into: &replies)
        }
    }

    /// One page: a bounded number of buckets, and the matching entries in them.
    ///
    /// - Returns: also the number of buckets and entries examined.
    private mutating func scan(
        _ request: ScanRequest, in namespace: NamespaceNumber, now: Instant
    ) -> (page: ScanPage, lookCount: Int) {
        var page = ScanPage(nextCursor: 0, entryCount: 0, entryBytes: 0)
        var cursor: UInt64? = request.cursor
        var budget = ShardLimits.scanBucketsPerPage
        var (bytes, lookCount) = (0, 0)
        while let from = cursor, budget > 0, page.lines.count < request.limit,
            bytes < WireLimits.frameBytesMax / 2
        {
            budget -= 1
            lookCount += 1
            cursor = tier.scan(from: from, bucketLimit: 1, now: now) { entry, costBytes in
                lookCount += 1
                // A negative entry is counted, but its key is not listed.
                guard Self.covers(request.target, entry, namespace),
                    request.isCountOnly || !entry.isNegative
                else { return }
                page.entryCount += 1
                page.entryBytes += UInt64(costBytes)
                guard !request.isCountOnly, let key = CacheKey(bytes: [UInt8](entry.key)) else {
                    return
                }
                bytes += 16 + key.bytes.count
                let left = entry.ttlMilliseconds(at: now)
                page.lines.append(
                    ScanPage.Line(
                        key: key, valueBytes: entry.value.count,
                        ttlMilliseconds: left == .max ? nil : left))
            }
        }
        page.nextCursor = cursor ?? 0
        return (page, lookCount)
    }

    static func covers(
        _ target: Scope.Target, _ entry: EntryView, _ namespace: NamespaceNumber
    ) -> Bool {
        switch target {
        case .everything: return true
        case .namespace: return entry.namespace == namespace
        case .key(let key, _):
            return entry.namespace == namespace && entry.key.elementsEqual(key.bytes)
        case .prefix(let prefix, _):
            return entry.namespace == namespace && entry.key.starts(with: prefix)
        case .tag(let tag, _):
            guard entry.namespace == namespace else { return false }
            var isTagged = false
            entry.forEachTag { if $0.elementsEqual(tag.bytes) { isTagged = true } }
            return isTagged
        }
    }
}
