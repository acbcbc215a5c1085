import CacheModel
import CacheWire

extension DecodedBody {
    static func explaining(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        let requestID = message.requestID
        switch message.type {
        case .explain, .compare:
            let value = try KeyQuestion(decoding: message)
            let json = JSONValue.members(["key": .hex(value.key.bytes)])
            return DecodedBody(json: json) { value.encode(requestID: requestID, into: &$0) }
        case .comparison:
            let value = try OriginComparison(decoding: message.body)
            return DecodedBody(json: json(value)) { value.encode(requestID: requestID, into: &$0) }
        default:
            let value = try Explanation(decoding: message)
            return DecodedBody(json: json(value)) { value.encode(requestID: requestID, into: &$0) }
        }
    }

    private static func json(_ value: OriginComparison) -> JSONValue {
        let options =
            (value.shown == nil ? 0 : 1) + (value.origin == nil ? 0 : 2)
            + (value.isUnfenced ? 4 : 0)
        return .members([
            "verdict": .small(value.verdict.rawValue), "state": .small(value.state.rawValue),
            "options": .small(options), "failure": .small(value.failure?.rawValue ?? 0),
            "took": .small(value.took.wholeMilliseconds), "applied": .position(value.applied),
            "fill": .position(value.filled ?? .none),
            "age": .wide(UInt64(value.age.wholeMilliseconds)),
            "shown": json(value.shown), "origin": json(value.origin),
        ])
    }

    private static func json(_ side: ValueImprint?) -> JSONValue {
        .members([
            "valueBytes": .small(side?.valueBytes ?? 0), "digest": .wide(side?.digest ?? 0),
            "version": .wide(side?.version.rawValue ?? 0), "etag": .hex(side?.etag?.bytes ?? []),
        ])
    }

    private static func json(_ value: Explanation) -> JSONValue {
        var options = 0
        if let entry = value.entry {
            options = 1 + (entry.isUnfenced ? 2 : 0) + (entry.softMilliseconds == nil ? 0 : 4)
        }
        return .members([
            "verdict": .small(value.verdict.rawValue), "state": .small(value.state.rawValue),
            "options": .small(options), "leaseLeft": .small(value.leaseLeftMilliseconds),
            "loadLeft": .small(value.loadLeftMilliseconds),
            "applied": .position(value.applied), "tokenBase": .position(value.tokenBase),
            "entry": value.entry.map(json), "floors": .list(value.floors.map(json)),
        ])
    }

    private static func json(_ entry: Explanation.Entry) -> JSONValue {
        .members([
            "valueBytes": .small(entry.valueBytes), "chargedBytes": .small(entry.chargedBytes),
            "version": .wide(entry.version.rawValue), "age": .wide(entry.ageMilliseconds),
            "ttl": .wide(entry.ttlMilliseconds ?? .max),
            "softAge": .wide(entry.softMilliseconds ?? 0), "fill": .position(entry.fill),
            "etag": .hex(entry.etag?.bytes ?? []),
            "tags": .list(entry.tags.map { .hex($0.bytes) }),
        ])
    }

    private static func json(_ floor: Explanation.Floor) -> JSONValue {
        .members([
            "cover": .small(floor.cover.rawValue),
            "options": .small(floor.isAboveEntry ? 1 : 0), "name": .hex(floor.name),
            "hard": .position(floor.hard), "soft": .position(floor.soft),
            "minimumVersion": .wide(floor.minimumVersion.rawValue),
        ])
    }
}
