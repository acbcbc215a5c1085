import ByteCoding
import CacheModel
import CacheWire

extension DecodedBody {
    static func floors(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let requestID = message.requestID
        if message.type == .floors {
            let value = try FloorsRequest(decoding: message.body)
            let json = JSONValue.members([
                "incarnation": .wide(value.incarnation.rawValue),
                "logId": .wide(value.log.rawValue), "applied": .mark(value.applied),
                "firstBucket": .small(value.firstBucket),
            ])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        }
        let value = try FloorSnapshotPart(decoding: message)
        let json = JSONValue.members([
            "logId": .wide(value.log.rawValue), "asOf": .mark(value.asOf),
            "completeSince": .wide(value.completeSince.rawValue),
            "everything": .wide(value.everything.rawValue),
            "firstBucket": .small(value.firstBucket), "nextBucket": .small(value.nextBucket),
            "namespaces": .list(
                value.namespaces.map {
                    .members([
                        "namespace": name($0.namespace), "sequence": .wide($0.sequence.rawValue),
                    ])
                }),
            "prefixes": .list(
                value.prefixes.map {
                    .members([
                        "namespace": name($0.namespace), "prefix": .hex($0.prefix),
                        "sequence": .wide($0.sequence.rawValue),
                    ])
                }),
            "buckets": .list(
                value.buckets.map {
                    .members([
                        "bucket": .small($0.bucket), "sequence": .wide($0.sequence.rawValue),
                    ])
                }),
        ])
        return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
    }

    private static func name(_ namespace: Namespace) -> JSONValue {
        .text(namespace == .default ? "" : namespace.name)
    }
}
