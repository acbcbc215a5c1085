import CacheAccess
import CacheModel
import Testing

@testable import GatewayCore

/// A hub with a clock that stands still until it is told, and readers that write down what they
/// are sent.
struct HubBench {
    struct Reader {
        var messages: [PushMessage] = []
        var pendingBytes = 0
        /// The position of its last message that told one.
        var place: LogPosition?
        var ending: PushEnding?
    }

    var hub: PushHub
    var now = Instant(nanoseconds: 1_000_000_000)
    private(set) var readers: [SubscriberID: Reader] = [:]
    /// Whether each message is taken as soon as it is sent.
    var takesAtOnce = true
    /// Every message sent, and to how many.
    private(set) var sends: [(message: PushMessage, count: Int)] = []

    init(ringRecords: Int = 1_000, subscribersMax: Int = 1_000) {
        hub = PushHub(
            subscribersMax: subscribersMax,
            ring: RecordRing(after: .none, recordsMax: ringRecords))
    }

    /// A hub whose log is at `1:sequence`, with the records after `1:start` in its ring.
    init(at sequence: UInt64, from start: UInt64 = 0, ringRecords: Int = 1_000) {
        self.init(ringRecords: ringRecords)
        hub.follows(after: at(start))
        for number in 0..<sequence where number >= start { receive(record(number + 1)) }
        beat(sequence)
    }

    // MARK: What happens

    mutating func receive(_ record: InvalidationRecord) {
        perform { $0.received(record, now: $1, into: &$2) }
    }

    mutating func beat(_ sequence: UInt64, isPartial: Bool = false) {
        perform { $0.beat(head: at(sequence), isPartial: isPartial, now: $1, into: &$2) }
    }

    mutating func lose(continuingAfter position: LogPosition) {
        perform { $0.lost(continuingAfter: position, now: $1, into: &$2) }
    }

    mutating func learn(_ cluster: ClusterID) {
        perform { $0.isOf(cluster, now: $1, into: &$2) }
    }

    mutating func subscribe(
        _ interests: [Interest] = [.everything], after start: UInt64? = nil,
        as entry: AccessEntry? = nil, until end: Instant? = nil
    ) throws -> SubscriberID {
        let subscription = try PushSubscription(
            interests, after: start.map { at($0) }, for: entry, until: end)
        return try subscribe(subscription)
    }

    mutating func subscribe(_ subscription: PushSubscription) throws -> SubscriberID {
        var actions: [PushAction] = []
        let id = try hub.subscribe(subscription, now: now, into: &actions)
        readers[id] = Reader()
        perform(actions)
        return id
    }

    mutating func leave(_ id: SubscriberID) {
        hub.unsubscribe(id)
        readers[id] = nil
    }

    mutating func step() { perform { $0.step(now: $1, into: &$2) } }

    /// Steps until no replay is left that could go on.
    mutating func settle() {
        while hub.hasReplays { step() }
    }

    /// The reader takes all that waits for it.
    mutating func take(_ id: SubscriberID) {
        guard let bytes = readers[id]?.pendingBytes, bytes > 0 else { return }
        readers[id]?.pendingBytes = 0
        hub.taken(id, bytes: bytes, now: now)
    }

    /// Time passes, with a tick at each of its steps.
    mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while now < end {
            now = min(now.advanced(by: PushLimits.tickSpacing), end)
            perform { $0.tick(now: $1, into: &$2) }
        }
    }

    mutating func stop() { perform { hub, _, actions in hub.stop(into: &actions) } }

    mutating func revoke(_ isOver: (AccessEntry) -> Bool) {
        perform { hub, _, actions in hub.revoke(where: isOver, into: &actions) }
    }

    // MARK: What was heard

    /// What one reader has heard, in words: `hello 1:4`, `record 1:5`, `gone 1:9`, `end slow`.
    func heard(_ id: SubscriberID) -> [String] {
        guard let reader = readers[id] else { return [] }
        var heard = reader.messages.map { "\($0.kind.rawValue) \(Self.text($0.position))" }
        if let ending = reader.ending, let last = reader.messages.last {
            heard[heard.count - 1] = "end \(ending.rawValue) \(Self.text(last.position))"
        }
        return heard
    }

    func messages(_ id: SubscriberID) -> [PushMessage] { readers[id]?.messages ?? [] }

    /// The positions of the records that a reader was sent.
    func records(_ id: SubscriberID) -> [LogPosition] {
        messages(id).filter { $0.kind == .record }.compactMap(\.position)
    }

    mutating func perform(
        _ event: (inout PushHub, Instant, inout [PushAction]) -> Void
    ) {
        var actions: [PushAction] = []
        event(&hub, now, &actions)
        perform(actions)
    }

    private mutating func perform(_ actions: [PushAction]) {
        for action in actions {
            switch action {
            case .send(let message, let ids):
                sends.append((message, ids.count))
                for id in ids { send(message, to: id) }
            case .end(let id, let ending, let message):
                precondition(readers[id]?.ending == nil, "a reader ends once")
                readers[id]?.ending = ending
                readers[id]?.messages.append(message)
            }
        }
    }

    private mutating func send(_ message: PushMessage, to id: SubscriberID) {
        precondition(readers[id] != nil && readers[id]?.ending == nil, "sent to who is gone")
        readers[id]?.messages.append(message)
        if let position = message.position { readers[id]?.place = position }
        readers[id]?.pendingBytes += message.bytes
        if takesAtOnce { take(id) }
    }

    private static func text(_ position: LogPosition?) -> String {
        position.map(\.description) ?? "-"
    }
}

/// Positions and records of epoch 1.
func at(_ sequence: UInt64, epoch: UInt32 = 1) -> LogPosition {
    LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
}

func record(
    _ sequence: UInt64, _ scopes: [Scope] = [Scope(.everything)], epoch: UInt32 = 1
) -> InvalidationRecord {
    InvalidationRecord(
        position: at(sequence, epoch: epoch), previousDigest: LogDigest(sequence),
        operation: .none, strength: .hard, scopes: scopes)
}

/// Names of a small world.
func key(_ name: String, in room: String = "n") throws -> Scope.Target {
    .key(try #require(CacheKey(name)), in: try #require(Namespace(room)))
}

func tag(_ name: String, in room: String = "n") throws -> Scope.Target {
    .tag(try #require(Tag(name)), in: try #require(Namespace(room)))
}

func prefix(_ name: String, in room: String = "n") throws -> Scope.Target {
    .prefix(Array(name.utf8), in: try #require(Namespace(room)))
}

/// An entry of the list with these roles and patterns.
func entry(_ rights: String, _ patterns: String) throws -> AccessEntry {
    let digits = String(repeating: "3f", count: 32)
    let list = try AccessList(parsing: "web \(digits) \(rights) \(patterns)\n")
    return try #require(list.entries.first)
}
