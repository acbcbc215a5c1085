import CacheModel
import CacheWire

extension DecodedBody {
    static func leaving(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let requestID = message.requestID
        if message.type == .done {
            let value = try Done(decoding: message.body)
            let json = JSONValue.members([
                "incarnation": .wide(value.incarnation.rawValue), "runs": .small(value.runCount),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        }
        let value = try NodeOrder(decoding: message)
        let json = JSONValue.members(["node": .text(value.node.name)])
        return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
    }
}
