import ByteCoding
import CacheModel
import CacheWire
import Foundation
import Threading
import ZeroMQ

/// One small server: its thread, its ROUTER, and for the publisher the live channel.
final class ScriptedServer: Sendable {
    let name: String
    let script = Guarded(ServerScript())
    let store = Guarded(ScriptedStore())
    let log = Guarded<[SealedRecord]>([])
    /// Who has asked, one for each connection.
    let peers = Guarded<Set<[UInt8]>>([])
    /// Who ordered the last invalidation.
    private let issuer = Guarded<Issuer?>(nil)
    /// Sent on the live channel whenever somebody subscribes.
    let greeting = Guarded<[UInt8]>([])
    private let places = Guarded((endpoint: "", live: ""))
    private let cluster = Guarded(WeakCluster())
    private let broadcasts = Guarded<[[UInt8]]>([])
    private let bell: Wakeup
    private let context: Context
    private let isPublisher: Bool

    private struct WeakCluster {
        weak var value: ScriptedCluster?
    }

    var endpoint: String { places.withLock { $0.endpoint } }
    var liveEndpoint: String { places.withLock { $0.live } }

    /// Starts its thread and waits until it listens; ``open(in:)`` lets it answer.
    init(_ context: Context, name: String, isPublisher: Bool) throws {
        self.name = name
        self.context = context
        self.isPublisher = isPublisher
        bell = try Wakeup()
        let listens = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            do {
                try run { listens.signal() }
            } catch {
                precondition(
                    (error as? ZeroMQError)?.isTerminated == true,
                    "a scripted server broke: \(error)")
            }
        }
        listens.wait()
    }

    func open(in cluster: ScriptedCluster) {
        self.cluster.withLock { $0.value = cluster }
    }

    func broadcast(_ message: [UInt8]) {
        broadcasts.withLock { $0.append(message) }
        bell.signal()
    }

    private func run(_ listening: () -> Void) throws {
        let router = try Socket(context, .router)
        let live = try Socket(context, .xpub)
        let anywhere = try Endpoint("tcp://127.0.0.1:0")
        let chosen = (try router.bind(anywhere).description, try live.bind(anywhere).description)
        places.withLock { $0 = chosen }
        listening()
        var poller = Poller()
        _ = poller.add(router, for: .readable)
        _ = poller.add(live, for: .readable)
        _ = poller.add(bell)
        var peer = Frame()
        var frame = Frame()
        var held: [(peer: [UInt8], reply: [UInt8], isTopology: Bool)] = []
        while true {
            _ = try poller.wait(timeout: .milliseconds(5))
            bell.drain()
            while try live.receive(into: &frame) { broadcast(greeting.withLock { $0 }) }
            for message in broadcasts.withLock({
                let all = $0; $0 = []; return all
            }) {
                _ = try message.withUnsafeBytes { try live.send($0, more: false) }
            }
            while try router.receive(into: &peer) {
                guard peer.hasMore, try router.receive(into: &frame) else { continue }
                guard let cluster = cluster.withLock({ $0.value }) else { return }
                let name = [UInt8](peer.bytes)
                peers.withLock { _ = $0.insert(name) }
                if let reply = answer([UInt8](frame.bytes), cluster) {
                    held.append(([UInt8](peer.bytes), reply, Self.isTopology(reply)))
                }
            }
            let (isHolding, isMute) = script.withLock { ($0.isHolding, $0.isMute) }
            let kept = held.filter { isMute || isHolding && !$0.isTopology }
            for (peer, reply, isTopology) in held where !isMute && (!isHolding || isTopology) {
                guard try peer.withUnsafeBytes({ try router.send($0, more: true) }) == .sent
                else { continue }
                _ = try reply.withUnsafeBytes { try router.send($0, more: false) }
            }
            held = kept
        }
    }

    private static func isTopology(_ reply: [UInt8]) -> Bool {
        reply.withUnsafeBytes { (try? MessageView(decoding: $0))?.type == .topologyReport }
    }

    // MARK: Answers

    private func answer(_ bytes: [UInt8], _ cluster: ScriptedCluster) -> [UInt8]? {
        bytes.withUnsafeBytes { frame in
            do {
                let message = try MessageView(decoding: frame)
                note(message)
                var writer = ByteWriter()
                guard try write(message, cluster, into: &writer) else { return nil }
                return spoiled(writer.array)
            } catch {
                let refusal = (error as? WireRefusal) ?? .truncated
                var writer = ByteWriter()
                refusal.encode(
                    requestID: MessageHeader.requestID(ofDamaged: frame), into: &writer)
                return writer.array
            }
        }
    }

    private func note(_ message: MessageView) {
        script.withLock {
            $0.seen.append(
                ServerScript.Seen(
                    type: message.type, count: message.count, atLeast: message.fields.atLeast,
                    topologyVersion: message.fields.topologyVersion,
                    operation: message.fields.operation, trace: message.fields.traceContext,
                    isAgain: message.fields.marks.contains(.again), cluster: message.fields.cluster,
                    maxAgeMilliseconds: message.fields.reading.maxAgeMilliseconds,
                    bytes: [UInt8](message.body)))
        }
    }

    private func spoiled(_ reply: [UInt8]) -> [UInt8] {
        script.withLock {
            guard $0.garbageCount > 0 else { return reply }
            $0.garbageCount -= 1
            return Array(reply.prefix(16)) + Array(repeating: 0xFF, count: 8)
        }
    }

    /// - Returns: whether there is an answer.
    private func write(
        _ message: MessageView, _ cluster: ScriptedCluster, into writer: inout ByteWriter
    ) throws -> Bool {
        let own = script.withLock { $0.cluster } ?? cluster.report.cluster
        guard !message.fields.cluster.contradicts(own) else { throw WireRefusal.wrongCluster }
        if try denies(message, cluster, into: &writer) { return true }
        switch message.type {
        case .topology where script.withLock({ $0.ignoresTopology }): return false
        case .topology:
            cluster.report.encode(requestID: message.requestID, into: &writer)
        case .status where script.withLock({ $0.ignoresStatus }): return false
        case .status where script.withLock({ $0.refusesStatus }):
            throw WireRefusal(.unauthorised, "this key may not ask for figures")
        case .status:
            var report = StatusReport(
                role: isPublisher ? .publisher : .shard, state: .live, name: name,
                mark: LogMark(position: cluster.head, digest: LogDigest(0)))
            report.figures = [StatusReport.Figure("entries", 3)]
            report.figures += script.withLock { $0.figures }
            if isPublisher { report.nodes = cluster.lines }
            report.encode(requestID: message.requestID, into: &writer)
        case .invalidate where !isPublisher:
            throw WireRefusal(.unsupported, "a node does not do this")
        case .invalidate where isUnanswered(): return false
        case _ where isBusy(for: message.type):
            var reply = ErrorReply(.busy, "this server says so")
            reply.retryAfterMilliseconds = script.withLock { $0.busyMilliseconds }
            reply.encode(requestID: message.requestID, into: &writer)
        case .invalidate: try invalidate(message, cluster, into: &writer)
        case .awaitReceipt: try tellReceipt(message, cluster, into: &writer)
        case .follow where !script.withLock({ $0.refusesToFollow }):
            Followed(
                through: LogMark(position: cluster.head, digest: LogDigest(0)), head: cluster.head
            ).encode(requestID: message.requestID, into: &writer)
        case .scan: try scan(message, into: &writer)
        case .count where !script.withLock({ $0.isOlder }): try count(message, into: &writer)
        case .resume: try replay(message, into: &writer)
        case .get, .set, .delete, .touch, .chunk:
            let isSilent = script.withLock { script in
                defer { script.silentCount = max(0, script.silentCount - 1) }
                return script.silentCount > 0
            }
            guard !isSilent else { return false }
            try authorise(message)
            try writeResults(message, cluster, into: &writer)
        default:
            WireRefusal(.unsupported, "this server is only a script")
                .encode(requestID: message.requestID, into: &writer)
        }
        return true
    }

    /// Answers as a publisher that does not lead, or that is told not to.
    private func denies(
        _ message: MessageView, _ cluster: ScriptedCluster, into writer: inout ByteWriter
    ) throws -> Bool {
        let (named, claims, stepDown) = script.withLock {
            ($0.denies, $0.claimsTopology, $0.stepDown)
        }
        if named != nil, message.type == .topology, claims {
            var report = cluster.report
            (report.controlEndpoint, report.liveEndpoint) = (endpoint, liveEndpoint)
            report.version ^= 0x5A5A
            report.encode(requestID: message.requestID, into: &writer)
            return true
        } else if let named, message.type != .status {
            var denial = NotLeader(controlEndpoint: named, name: "p")
            denial.mayHaveHappened = script.withLock { $0.deniesInDoubt }
            denial.encode(requestID: message.requestID, into: &writer)
            return true
        } else if message.type == .stepDown, let stepDown {
            Done(incarnation: .none, runCount: 0).encode(
                requestID: message.requestID, into: &writer)
            stepDown()
            return true
        }
        return false
    }

    private func isUnanswered() -> Bool {
        script.withLock { script in
            defer { script.unansweredCount = max(0, script.unansweredCount - 1) }
            return script.unansweredCount > 0
        }
    }

    /// Whether the script refuses such a message as a whole.
    private func isBusy(for type: MessageType) -> Bool {
        guard [.invalidate, .get, .set, .delete].contains(type) else { return false }
        return script.withLock { script in
            defer { script.busyMessageCount = max(0, script.busyMessageCount - 1) }
            return script.busyMessageCount > 0
        }
    }

    private func invalidate(
        _ message: MessageView, _ cluster: ScriptedCluster, into writer: inout ByteWriter
    ) throws {
        let request = try InvalidateRequest(decoding: message)
        issuer.withLock { $0 = request.issuer }
        let isSilent = script.withLock { script in
            defer { script.silentCount = max(0, script.silentCount - 1) }
            return script.silentCount > 0
        }
        let position = cluster.advanceHead()
        for shard in cluster.shards {
            shard.store.withLock { store in
                for scope in request.scopes {
                    if case .key(let key, let namespace) = scope.target {
                        store.remove(key.bytes, namespace.name)
                    } else {
                        store = ScriptedStore()
                    }
                }
            }
        }
        var receipt = Receipt(
            position: position, wait: request.wait, isComplete: !isSilent,
            nearCacheMilliseconds: 0)
        receipt.applied = cluster.shards.compactMap { shard in
            NodeID(shard.name).map { Receipt.Line(node: $0, elapsed: .milliseconds(2)) }
        }
        receipt.encode(requestID: message.requestID, into: &writer)
    }

    private func tellReceipt(
        _ message: MessageView, _ cluster: ScriptedCluster, into writer: inout ByteWriter
    ) throws {
        let request = try AwaitRequest(decoding: message.body)
        guard request.position <= cluster.head else {
            throw WireRefusal(.outOfRange, "there is no record there")
        }
        var receipt = Receipt(
            position: request.position, wait: request.wait, isComplete: false,
            nearCacheMilliseconds: request.timeoutMilliseconds)
        receipt.issuer = issuer.withLock { $0 }
        receipt.pending = cluster.shards.compactMap { NodeID($0.name) }
        receipt.encode(requestID: message.requestID, into: &writer)
    }

    private func scan(_ message: MessageView, into writer: inout ByteWriter) throws {
        let request = try ScanRequest(decoding: message)
        if let page = script.withLock({ $0.page }) {
            page.encode(requestID: message.requestID, into: &writer)
            return
        }
        let keys = store.withLock { $0.keys }
        let begin = Int(request.cursor)
        let end = min(begin + 2, keys.count)
        var page = ScanPage(
            nextCursor: end == keys.count ? 0 : UInt64(end), entryCount: UInt64(end - begin),
            entryBytes: UInt64(10 * (end - begin)))
        if !request.isCountOnly {
            page.lines = keys[begin..<end].compactMap { bytes in
                CacheKey(bytes: bytes).map {
                    var line = ScanPage.Line(key: $0, valueBytes: 1, ttlMilliseconds: nil)
                    if request.isHottest { line.heat = UInt16(bytes.last ?? 0) }
                    return line
                }
            }
        }
        page.encode(requestID: message.requestID, into: &writer)
    }

    private func count(_ message: MessageView, into writer: inout ByteWriter) throws {
        let request = try CountRequest(decoding: message)
        if let counted = script.withLock({ $0.counted }) {
            counted.encode(requestID: message.requestID, into: &writer)
            return
        }
        let keyCount = store.withLock { $0.keys.count } * request.scopes.count
        CountReply(
            entryCount: UInt64(keyCount), entryBytes: UInt64(10 * keyCount), isAtMost: true
        ).encode(requestID: message.requestID, into: &writer)
    }

    private func replay(_ message: MessageView, into writer: inout ByteWriter) throws {
        let request = try Resume(decoding: message.body)
        let records = log.withLock { $0 }
        let head = records.last?.mark ?? LogMark(position: .none, digest: LogDigest(7))
        let following = records.filter { $0.position > request.after.position }
        RecordRun(records: Array(following.prefix(request.limit)), head: head)
            .encode(requestID: message.requestID, into: &writer)
    }
}
