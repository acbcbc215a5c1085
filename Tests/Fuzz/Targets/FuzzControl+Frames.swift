import ByteCoding
import CacheModel
import CacheWire

/// What a publisher says, right or nearly.
extension FuzzControl {
    private mutating func head(_ script: inout Script) -> LogMark {
        script.byte() < 224 ? log.head : script.mark()
    }

    private mutating func requestID(of type: MessageType, _ script: inout Script) -> UInt64 {
        script.byte() < 224 ? asked[type] ?? 1 : script.wild()
    }

    private func some(_ script: inout Script) -> [SealedRecord] {
        guard !log.records.isEmpty else { return [] }
        let first = script.below(min(log.records.count, 256))
        return Array(log.records[first...].prefix(1 + script.below(8)))
    }

    mutating func liveRecords(_ script: inout Script) -> [UInt8] {
        let run = RecordRun(
            records: script.isOdd() ? some(&script) : log.records.suffix(1),
            isLazy: script.isOdd())
        return written { run.encode(requestID: 0, into: &$0) }
    }

    mutating func heartbeat(_ script: inout Script) -> [UInt8] {
        if script.byte() == 0 { return written { Heartbeat.farewell.encode(into: &$0) } }
        let message = Heartbeat(log: log.id, head: head(&script), versions: versions)
        return written { message.encode(into: &$0) }
    }

    mutating func welcome(_ script: inout Script) -> [UInt8] {
        var message = Welcome(
            log: log.id, head: head(&script), tail: SequenceNumber(UInt64(script.byte())),
            leaseMilliseconds: UInt32(script.word()), heartbeatMilliseconds: UInt32(script.word()),
            versions: versions, liveEndpoint: "")
        if script.isOdd() { message.previousRun = Incarnation(script.wild()) }
        let id = requestID(of: .hello, &script)
        let said = message
        return written { said.encode(requestID: id, into: &$0) }
    }

    mutating func pong(_ script: inout Script) -> [UInt8] {
        let sentAt = script.byte() < 224 ? now.nanoseconds : script.wild()
        let message = Pong(
            sentAt: sentAt, log: log.id, head: head(&script),
            leaseMilliseconds: UInt32(script.word()), versions: versions)
        let id = requestID(of: .ping, &script)
        return written { message.encode(requestID: id, into: &$0) }
    }

    mutating func replay(_ script: inout Script) -> [UInt8] {
        let id = requestID(of: .resume, &script)
        guard script.byte() < 200 else {
            let message = Truncated(
                log: log.id, head: head(&script), tail: SequenceNumber(UInt64(script.byte())))
            return written { message.encode(requestID: id, into: &$0) }
        }
        let run = RecordRun(records: some(&script), head: head(&script))
        return written { run.encode(requestID: id, into: &$0) }
    }

    mutating func other(_ script: inout Script) -> [UInt8] {
        switch script.below(6) {
        case 5: return notLeader(&script)
        case 0:
            let report = ConfigReport(revision: versions.configRevision, text: "nodes: []\n")
            let id = requestID(of: .config, &script)
            return written { report.encode(requestID: id, into: &$0) }
        case 1:
            let report = TopologyReport(
                version: versions.topologyVersion, kind: .sharded, controlEndpoint: "",
                liveEndpoint: "", nodes: [])
            let id = requestID(of: .topology, &script)
            return written { report.encode(requestID: id, into: &$0) }
        case 2:
            let receipt = Receipt(
                position: log.head.position, wait: .none, isComplete: true,
                nearCacheMilliseconds: 0)
            let id = requestID(of: .invalidate, &script)
            return written { receipt.encode(requestID: id, into: &$0) }
        case 3: return floors(&script)
        default:
            let codes = ErrorCode.allCases
            let error = ErrorReply(codes[script.below(codes.count)], "no")
            let types: [MessageType] = [.hello, .ping, .resume, .invalidate, .floors]
            let id = requestID(of: types[script.below(types.count)], &script)
            return written { error.encode(requestID: id, into: &$0) }
        }
    }

    private mutating func notLeader(_ script: inout Script) -> [UInt8] {
        let names = ["", "tcp://a:1", "tcp://b:1", "tcp://c:1", "nonsense"]
        let reply = NotLeader(controlEndpoint: names[script.below(names.count)])
        let types: [MessageType] = [.hello, .ping, .resume, .invalidate]
        let id = requestID(of: types[script.below(types.count)], &script)
        return written { reply.encode(requestID: id, into: &$0) }
    }

    private mutating func floors(_ script: inout Script) -> [UInt8] {
        let first = script.byte() < 200 ? 0 : Int(script.word())
        let next = script.byte() < 200 ? FloorBuckets.count : first + 1 + Int(script.word())
        var part = FloorSnapshotPart(
            log: log.id, asOf: head(&script), completeSince: .none, firstBucket: first,
            nextBucket: min(max(next, first + 1), FloorBuckets.count))
        part.everything = SequenceNumber(UInt64(script.byte()))
        part.namespaces = [.init(script.namespace(), SequenceNumber(UInt64(script.byte())))]
        part.prefixes = [
            .init(script.key().bytes, in: script.namespace(), SequenceNumber(UInt64(script.byte())))
        ]
        part.buckets = [.init(first, SequenceNumber(UInt64(script.byte())))]
        let id = requestID(of: .floors, &script)
        let said = part
        return written { said.encode(requestID: id, into: &$0) }
    }
}
