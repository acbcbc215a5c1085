import ByteCoding
import CacheModel
import CacheWire

extension DecodedBody {
    static func admin(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let requestID = message.requestID
        switch message.type {
        case .invalidate: return try invalidate(message)
        case .receipt:
            let value = try Receipt(decoding: message)
            return DecodedBody(json: json(value)) { value.encode(requestID: requestID, into: &$0) }
        case .awaitReceipt:
            let value = try AwaitRequest(decoding: message.body)
            return DecodedBody(json: json(value)) { value.encode(requestID: requestID, into: &$0) }
        case .statusReport:
            let value = try StatusReport(decoding: message)
            return DecodedBody(json: json(value)) { value.encode(requestID: requestID, into: &$0) }
        case .topologyReport:
            let value = try TopologyReport(decoding: message)
            return DecodedBody(json: json(value)) { value.encode(requestID: requestID, into: &$0) }
        case .scan:
            let value = try ScanRequest(decoding: message)
            return DecodedBody(json: json(value)) { value.encode(requestID: requestID, into: &$0) }
        case .scanPage:
            let value = try ScanPage(decoding: message)
            return DecodedBody(json: json(value)) { value.encode(requestID: requestID, into: &$0) }
        case .count:
            let value = try CountRequest(decoding: message)
            let json = JSONValue.members([
                "scopes": .list(value.scopes.map(JSONValue.scope))
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        case .counted:
            let value = try CountReply(decoding: message.body)
            let json = JSONValue.members([
                "entries": .wide(value.entryCount), "bytes": .wide(value.entryBytes),
                "options": .small(value.isAtMost ? 1 : 0),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        case .configReport:
            let value = try ConfigReport(decoding: message.body)
            let json = JSONValue.members([
                "version": .small(value.revision), "text": .text(value.text),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        default:
            try message.expectEmpty()
            return DecodedBody(json: .object([:])) { writer in
                MessageWriter(message.type, requestID: requestID, into: &writer)
                    .finish(&writer, count: 0)
            }
        }
    }

    /// An invalidation is refused when its record cannot be sealed, as the publisher does it.
    private static func invalidate(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let value = try InvalidateRequest(decoding: message)
        _ = try SealedRecord(
            sealing: InvalidationRecord(
                position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1)),
                previousDigest: LogDigest(0), operation: value.operation,
                strength: value.strength, scopes: value.scopes))
        let json = JSONValue.members([
            "wait": .small(value.wait.rawValue), "strength": .small(value.strength.rawValue),
            "purpose": .small(value.ordersStore ? 1 : 0),
            "timeout": .small(value.timeoutMilliseconds),
            "scopes": .list(value.scopes.map(JSONValue.scope)),
        ])
        return DecodedBody(json: json) { value.encode(requestID: message.requestID, into: &$0) }
    }

    private static func json(_ value: Receipt) -> JSONValue {
        func lines(_ lines: [Receipt.Line]) -> JSONValue {
            .list(
                lines.map {
                    .members([
                        "id": .text($0.node.name),
                        "elapsed": .small($0.elapsed.wholeNanoseconds / 1_000),
                    ])
                })
        }
        return .members([
            "epoch": .small(value.position.epoch.rawValue), "wait": .small(value.wait.rawValue),
            "complete": .small(value.isComplete ? 1 : 0),
            "sequence": .wide(value.position.sequence.rawValue),
            "nearCache": .small(value.nearCacheMilliseconds), "applied": lines(value.applied),
            "expired": lines(value.expired),
            "pending": .list(
                value.pending.map {
                    .members(["id": .text($0.name), "elapsed": .small(UInt32.max)])
                }),
        ])
    }

    private static func json(_ value: AwaitRequest) -> JSONValue {
        .members([
            "wait": .small(value.wait.rawValue), "timeout": .small(value.timeoutMilliseconds),
            "epoch": .small(value.position.epoch.rawValue),
            "sequence": .wide(value.position.sequence.rawValue),
        ])
    }

    private static func json(_ value: StatusReport) -> JSONValue {
        let figures = value.figures.map {
            JSONValue.members(["name": .text($0.name), "value": .wide($0.value)])
        }
        let nodes = value.nodes.map { node in
            JSONValue.members([
                "id": .text(node.node.name), "state": .small(node.state.rawValue),
                "epoch": .small(node.applied.epoch.rawValue),
                "sequence": .wide(node.applied.sequence.rawValue),
                "incarnation": .wide(node.incarnation.rawValue),
                "grantLeft": .small(node.grantLeftMilliseconds),
            ])
        }
        return .members([
            "role": .small(value.role.rawValue), "state": .small(value.state.rawValue),
            "epoch": .small(value.mark.position.epoch.rawValue),
            "sequence": .wide(value.mark.position.sequence.rawValue),
            "digest": .wide(value.mark.digest.rawValue), "name": .text(value.name),
            "figures": .list(figures), "nodes": .list(nodes),
        ])
    }

    private static func json(_ value: TopologyReport) -> JSONValue {
        let nodes = value.nodes.map { node in
            JSONValue.members([
                "id": .text(node.id.name), "state": .small(node.state?.rawValue ?? 255),
                "weight": .small(node.weightThousandths),
                "endpoints": .list(node.endpoints.map(JSONValue.text)),
            ])
        }
        return .members([
            "version": .small(value.version), "kind": .small(value.kind.rawValue),
            "control": .text(value.controlEndpoint), "live": .text(value.liveEndpoint),
            "several": .bool(value.hasSeveralPublishers),
            "nodes": .list(nodes), "slots": value.slots.map(json),
        ])
    }

    private static func json(_ table: SlotTable) -> JSONValue {
        let members = table.members.sorted { $0.key < $1.key }.map { number, member in
            JSONValue.members([
                "number": .small(number.rawValue), "state": .small(member.state.rawValue),
                "shards": .small(member.shardCount), "weight": .small(member.weightThousandths),
                "id": .text(member.node.name),
            ])
        }
        let runs = table.runs.map { run, since in
            JSONValue.members([
                "first": .small(run.first.rawValue), "count": .small(run.count),
                "member": .small(run.owner.member.rawValue), "shard": .small(run.owner.shard),
                "since": .wide(since.rawValue),
            ])
        }
        return .members([
            "position": .position(table.position),
            "servedBelow": .wide(table.servedBelow.rawValue), "members": .list(members),
            "runs": .list(runs),
        ])
    }

    private static func json(_ value: ScanRequest) -> JSONValue {
        let (kind, _, name) = Scope(value.target).parts
        return .members([
            "cursor": .wide(value.cursor), "limit": .small(value.limit),
            "kind": .small(kind.rawValue),
            "options": .small((value.isCountOnly ? 1 : 0) + (value.isHottest ? 2 : 0)),
            "name": .hex(name),
        ])
    }

    private static func json(_ value: ScanPage) -> JSONValue {
        let keys = value.lines.map { line in
            JSONValue.members([
                "key": .hex(line.key.bytes), "valueBytes": .small(line.valueBytes),
                "ttl": .wide(line.ttlMilliseconds ?? .max), "heat": .small(line.heat),
            ])
        }
        return .members([
            "nextCursor": .wide(value.nextCursor), "entries": .wide(value.entryCount),
            "bytes": .wide(value.entryBytes), "keys": .list(keys),
        ])
    }
}
