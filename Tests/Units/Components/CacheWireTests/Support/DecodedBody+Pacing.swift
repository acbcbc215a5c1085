import CacheModel
import CacheWire

extension DecodedBody {
    static func pacing(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let requestID = message.requestID
        if message.type == .pace {
            let value = try PaceRequest(decoding: message)
            let json = JSONValue.members([
                "order": .small(value.order.rawValue), "strength": .small(value.strength.rawValue),
                "span": .small(value.spanMilliseconds), "id": .wide(value.id.rawValue),
                "scopes": .list(value.scopes.map(JSONValue.scope)),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        }
        let value = try PacingReport(decoding: message)
        let json = JSONValue.members(["pacings": .list(value.lines.map(line))])
        return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
    }

    private static func line(_ line: PacingReport.Line) -> JSONValue {
        .members([
            "id": .wide(line.id.rawValue), "state": .small(line.state.rawValue),
            "strength": .small(line.strength.rawValue), "options": .small(line.isDurable ? 1 : 0),
            "span": .small(line.spanMilliseconds), "slices": .small(line.sliceCount),
            "done": .small(line.doneCount), "left": .small(line.leftMilliseconds),
            "first": .position(line.first), "last": .position(line.last),
            "scopes": .list(line.scopes.map(JSONValue.scope)),
        ])
    }
}
