import CacheModel
import CacheWire

extension DecodedBody {
    static func following(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let requestID = message.requestID
        if message.type == .follow {
            let value = try FollowRequest(decoding: message.body)
            let json = JSONValue.members([
                "limit": .small(value.limit), "hold": .small(value.holdMilliseconds),
                "options": .small(value.isFromHead ? 1 : 0), "after": .mark(value.after),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        }
        let value = try Followed(decoding: message)
        let json = JSONValue.members([
            "through": .mark(value.through), "head": .position(value.head),
            "options": .small((value.isPart ? 1 : 0) + (value.isLost ? 2 : 0)),
            "records": .list(value.records.map(seen)),
        ])
        return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
    }

    private static func seen(_ record: InvalidationRecord) -> JSONValue {
        .members([
            "sequence": .wide(record.position.sequence.rawValue),
            "operation": .operation(record.operation), "strength": .small(record.strength.rawValue),
            "options": .small(record.isOfNewerForm ? 1 : 0),
            "scopes": .list(record.scopes.map(JSONValue.scope)),
        ])
    }
}
