import ByteCoding
import CacheModel
import CacheWire

extension DecodedBody {
    static func control(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        switch message.type {
        case .hello, .welcome: try greeting(message)
        case .ping, .pong: try lease(message)
        case .ack, .bye: try farewell(message)
        case .resume, .truncated, .heartbeat: try place(message)
        case .floors, .floorSnapshot: try floors(message)
        case .replay, .records: try run(message)
        case .notLeader, .stepDown: try leadership(message)
        default: try error(message)
        }
    }

    private static func leadership(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        if message.type == .stepDown {
            let value = try StepDown(decoding: message.body)
            return DecodedBody(json: .members([:])) {
                value.encode(requestID: message.requestID, into: &$0)
            }
        }
        let value = try NotLeader(decoding: message.body)
        let json = JSONValue.members([
            "mayHaveHappened": .bool(value.mayHaveHappened),
            "control": .text(value.controlEndpoint), "name": .text(value.name),
        ])
        return DecodedBody(json: json) { value.encode(requestID: message.requestID, into: &$0) }
    }

    private static func greeting(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let requestID = message.requestID
        if message.type == .hello {
            let value = try Hello(decoding: message)
            let json = JSONValue.members([
                "incarnation": .wide(value.incarnation.rawValue),
                "logId": .wide(value.log.rawValue), "applied": .mark(value.applied),
                "id": .text(value.node.name),
                "endpoints": .list(value.endpoints.map(JSONValue.text)),
                "weight": .small(value.joinWeight.rawValue),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        }
        let value = try Welcome(decoding: message)
        let json = JSONValue.members([
            "logId": .wide(value.log.rawValue), "head": .mark(value.head),
            "tail": .wide(value.tail.rawValue), "lease": .small(value.leaseMilliseconds),
            "heartbeat": .small(value.heartbeatMilliseconds),
            "config": .small(value.versions.configRevision),
            "topology": .small(value.versions.topologyVersion), "live": .text(value.liveEndpoint),
        ])
        return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
    }

    private static func lease(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let requestID = message.requestID
        if message.type == .ping {
            let value = try Ping(decoding: message.body)
            let json = JSONValue.members([
                "incarnation": .wide(value.incarnation.rawValue), "sentAt": .wide(value.sentAt),
                "applied": .mark(value.applied), "state": .small(value.state.rawValue),
                "purpose": .small(value.purpose.rawValue),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        }
        let value = try Pong(decoding: message)
        let json = JSONValue.members([
            "sentAt": .wide(value.sentAt), "logId": .wide(value.log.rawValue),
            "head": .mark(value.head), "lease": .small(value.leaseMilliseconds),
            "config": .small(value.versions.configRevision),
            "topology": .small(value.versions.topologyVersion),
        ])
        return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
    }

    private static func farewell(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let requestID = message.requestID
        if message.type == .ack {
            let value = try Ack(decoding: message.body)
            let json = JSONValue.members([
                "incarnation": .wide(value.incarnation.rawValue), "applied": .mark(value.applied),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        }
        let value = try Bye(decoding: message.body)
        let json = JSONValue.members(["incarnation": .wide(value.incarnation.rawValue)])
        return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
    }

    private static func place(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let requestID = message.requestID
        switch message.type {
        case .resume:
            let value = try Resume(decoding: message.body)
            let json = JSONValue.members([
                "incarnation": .wide(value.incarnation.rawValue),
                "logId": .wide(value.log.rawValue), "applied": .mark(value.after),
                "limit": .small(value.limit),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        case .truncated:
            let value = try Truncated(decoding: message.body)
            let json = JSONValue.members([
                "logId": .wide(value.log.rawValue), "head": .mark(value.head),
                "tail": .wide(value.tail.rawValue),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        default:
            let value = try Heartbeat(decoding: message.body)
            let json = JSONValue.members([
                "logId": .wide(value.log.rawValue), "head": .mark(value.head),
                "config": .small(value.versions.configRevision),
                "topology": .small(value.versions.topologyVersion),
            ])
            return DecodedBody(json: json) { value.encode(into: &$0) }
        }
    }

    /// Records are sealed anew, so that what is compared is the encoder and not the kept bytes;
    /// those of a newer form can only be kept.
    private static func run(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        var run = try RecordRun(decoding: message)
        let json = JSONValue.members([
            "head": run.head.map(JSONValue.mark),
            "records": .list(run.records.map(JSONValue.record)),
        ])
        run.records = try run.records.map { record throws(WireRefusal) in
            record.record.isOfNewerForm ? record : try SealedRecord(sealing: record.record)
        }
        let sealed = run
        return DecodedBody(json: json) { sealed.encode(requestID: message.requestID, into: &$0) }
    }

    private static func error(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let value = try ErrorReply(decoding: message)
        let json = JSONValue.members([
            "code": .small(value.code), "message": .text(value.message),
        ])
        return DecodedBody(json: json) { value.encode(requestID: message.requestID, into: &$0) }
    }
}
