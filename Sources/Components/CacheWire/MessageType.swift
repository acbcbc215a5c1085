/// The type of a message. The numbers are on the wire: never renumbered, never reused.
public enum MessageType: UInt8, CaseIterable, Sendable {
    case get = 0x01
    case set = 0x02
    case delete = 0x03
    case touch = 0x04
    case chunk = 0x05
    case results = 0x06

    case invalidate = 0x10
    case receipt = 0x11
    case status = 0x12
    case statusReport = 0x13
    case topology = 0x14
    case topologyReport = 0x15
    case explain = 0x16
    case explanation = 0x17
    case scan = 0x18
    case scanPage = 0x19
    case drain = 0x1A
    case forget = 0x1B
    case config = 0x1C
    case configReport = 0x1D
    case done = 0x1E

    case hello = 0x20
    case welcome = 0x21
    case resume = 0x22
    case replay = 0x23
    case truncated = 0x24
    case ping = 0x25
    case pong = 0x26
    case ack = 0x27
    case bye = 0x28
    case floors = 0x29
    case floorSnapshot = 0x2A
    case notLeader = 0x2B
    case stepDown = 0x2C

    case records = 0x30
    case heartbeat = 0x31

    case count = 0x40
    case counted = 0x41
    case awaitReceipt = 0x42
    case pace = 0x44
    case pacingReport = 0x45
    case queue = 0x46
    case queueReport = 0x47
    case compare = 0x48
    case comparison = 0x49
    case follow = 0x4A
    case followed = 0x4B

    case error = 0x7F
}

extension MessageType {
    /// Whether a request of this type only reads: repeating it costs work and nothing else.
    package var isRead: Bool {
        switch self {
        case .get, .status, .topology, .explain, .scan, .config, .count, .compare, .awaitReceipt,
            .follow:
            true
        default: false
        }
    }

    /// Whether messages of this type have no count in version 1.
    @usableFromInline
    package var hasNoCount: Bool {
        switch self {
        case .status, .topology, .scan, .explain, .drain, .forget, .config, .configReport, .done,
            .hello, .welcome, .resume, .truncated, .ping, .pong, .ack, .bye, .floors, .notLeader,
            .stepDown, .heartbeat, .counted, .awaitReceipt, .queue, .compare, .comparison, .follow,
            .error:
            true
        case .get, .set, .delete, .touch, .chunk, .results, .invalidate, .receipt, .explanation,
            .statusReport, .topologyReport, .scanPage, .replay, .floorSnapshot, .records,
            .count, .pace, .pacingReport, .queueReport, .followed:
            false
        }
    }
}
