import ByteCoding
import CacheWire

/// What the body of one message says, and how the codec would write that message again.
///
/// Valid as long as the frame it was decoded from.
struct DecodedBody {
    let json: JSONValue
    /// Whether an operation in it breaks a limit and is to be refused by itself.
    var isRefused = false
    /// Writes the whole message; fields that its encoder does not know are left out.
    let encode: (inout ByteWriter) -> Void

    /// Decodes the body of a message of any type.
    static func decode(_ message: MessageView) throws(WireRefusal) -> DecodedBody {
        switch message.type {
        case .get: try gets(message)
        case .set: try sets(message)
        case .delete: try deletes(message)
        case .touch: try touches(message)
        case .chunk: try chunk(message)
        case .results: try results(message)
        case .invalidate, .receipt, .status, .statusReport, .topology, .topologyReport, .scan,
            .scanPage, .count, .counted, .config, .configReport, .awaitReceipt:
            try admin(message)
        case .explain, .explanation, .compare, .comparison: try explaining(message)
        case .follow, .followed: try following(message)
        case .drain, .forget, .done: try leaving(message)
        case .pace, .pacingReport: try pacing(message)
        case .queue, .queueReport: try queue(message)
        case .hello, .welcome, .resume, .replay, .truncated, .ping, .pong, .ack, .bye, .floors,
            .floorSnapshot, .notLeader, .stepDown, .records, .heartbeat,
            .error:
            try control(message)
        }
    }
}
