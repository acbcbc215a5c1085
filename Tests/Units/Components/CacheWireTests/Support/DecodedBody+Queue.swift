import CacheModel
import CacheWire

extension DecodedBody {
    static func queue(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let requestID = message.requestID
        if message.type == .queue {
            let value = try QueueRequest(decoding: message)
            let json = JSONValue.members([
                "order": .small(value.order.rawValue), "key": .hex(value.key?.bytes ?? []),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        }
        let value = try QueueReport(decoding: message)
        let json = JSONValue.members([
            "changed": .small(value.changedCount), "waiting": .small(value.waitingCount),
            "rejected": .small(value.rejectedCount), "writes": .list(value.lines.map(line)),
        ])
        return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
    }

    private static func line(_ line: QueueReport.Line) -> JSONValue {
        .members([
            "number": .wide(line.number), "age": .wide(line.ageMilliseconds),
            "value": .small(line.valueBytes ?? .max), "attempts": .small(line.attemptCount),
            "status": .small(line.status), "failure": .small(line.lastFailure),
            "namespace": .text(line.namespace.name), "key": .hex(line.key.bytes),
            "words": .hex(line.words),
        ])
    }
}
