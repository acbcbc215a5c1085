import CacheLoading
import CacheModel

/// A write queue told as a transcript: what happens, and what it says to that.
struct WriteStory {
    var queue: WriteQueue
    var now = Instant(nanoseconds: 0)
    private var nextTicket: UInt64 = 0

    init(hasJournal: Bool = true, isJournalBroken: Bool = false, seed: UInt64 = 7) {
        queue = WriteQueue(
            hasJournal: hasJournal, isJournalBroken: isJournalBroken, seed: seed)
    }

    static func write(_ key: String, _ value: String?, name: UInt64 = 1) -> OriginWrite {
        guard let key = CacheKey(key) else { preconditionFailure("keys of tests are keys") }
        return OriginWrite(
            namespace: .default, key: key,
            change: value.map { .put(Array($0.utf8)) } ?? .delete,
            name: OperationID(high: 1, low: name))
    }

    static var trace: TraceContext {
        let trace = TraceContext(
            traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            tracestate: "vendor=1")
        guard let trace else { preconditionFailure("the standard's example is one") }
        return trace
    }

    static func line(_ key: String) -> WriteLine { write(key, nil).line }

    static func position(_ sequence: UInt64) -> LogPosition {
        LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence))
    }

    /// A client asks for a write; tickets are 1, 2, 3 …
    mutating func asks(
        _ key: String, _ value: String?, of trace: TraceContext? = nil, type: String? = nil
    ) -> [String] {
        nextTicket += 1
        var write = Self.write(key, value, name: nextTicket)
        write.trace = trace
        write.representation.contentType = type.flatMap { RepresentationField($0) }
        return orders(write, since: .none, forwarded: nil)
    }

    /// The same of a key that this node got by a record, or by another node.
    mutating func asks(
        _ key: String, _ value: String?, since: UInt64, forwarded: ForwardedWrite? = nil,
        name: UInt64? = nil
    ) -> [String] {
        nextTicket += 1
        return orders(
            Self.write(key, value, name: name ?? nextTicket), since: Self.position(since),
            forwarded: forwarded)
    }

    private mutating func orders(
        _ write: OriginWrite, since: LogPosition, forwarded: ForwardedWrite?
    ) -> [String] {
        var order = WriteOrder(
            ticket: WriteTicket(shard: 0, number: nextTicket), write: write,
            patience: .seconds(2))
        (order.ownedSince, order.forwarded) = (since, forwarded)
        let given = order
        let wall = 1_000 + nextTicket
        return tell { $0.asked(given, wall: wall, now: $2, into: &$1) }
    }

    mutating func attempt(_ number: UInt64, _ verdict: WriteVerdict) -> [String] {
        tell { $0.attemptEnded(WriteNumber(number), verdict, now: $2, into: &$1) }
    }

    mutating func published(_ number: UInt64, at sequence: UInt64?) -> [String] {
        let position = sequence.map { Self.position($0) }
        return tell { $0.published(WriteNumber(number), at: position, now: $2, into: &$1) }
    }

    mutating func journaled(_ order: UInt64, _ succeeded: Bool = true) -> [String] {
        tell { $0.journaled(order, succeeded: succeeded, now: $2, into: &$1) }
    }

    mutating func passes(_ duration: Duration) -> [String] {
        now = now.advanced(by: duration)
        return tell { $0.timeIsUp(now: $2, into: &$1) }
    }

    mutating func tell(
        _ event: (inout WriteQueue, inout [WriteQueue.Action], Instant) -> Void
    ) -> [String] {
        var actions: [WriteQueue.Action] = []
        event(&queue, &actions, now)
        return actions.map(Self.words)
    }

    static func words(_ action: WriteQueue.Action) -> String {
        switch action {
        case .attempt(let number, let write, .direct):
            "try \(number.rawValue) \(words(write))"
        case .attempt(let number, let write, .replay):
            "replay \(number.rawValue) \(words(write))"
        case .forward(let forward):
            "forward \(forward.number.rawValue) \(words(forward.write)) to \(forward.node) from "
                + (forward.ownedSince.map { "\($0.sequence.rawValue)" } ?? "ever")
        case .publish(let number, let line): "publish \(number.rawValue) \(line.key)"
        case .journal(let order):
            "\(order.isWhole ? "rewrite" : "append") \(order.number): "
                + order.records.map(words).joined(separator: ", ")
        case .answer(let ticket, let answer): "answer \(ticket.number) \(words(answer))"
        case .hold(let line): "hold \(line.key)"
        case .release(let line, let position):
            "release \(line.key) at \(position.sequence.rawValue)"
        }
    }

    private static func words(_ write: OriginWrite) -> String {
        "\(write.key)=" + (write.value.map { String(decoding: $0, as: UTF8.self) } ?? "none")
            + (write.trace == nil ? "" : " traced")
            + (write.representation.contentType.map { " as \($0)" } ?? "")
    }

    private static func words(_ record: JournalRecord) -> String {
        switch record {
        case .write(let number, let write, _): "\(number.rawValue) \(words(write))"
        case .done(let number): "\(number.rawValue) done"
        case .rejected(let number, let rejection):
            "\(number.rawValue) rejected \(rejection.status)"
        case .trace(let number, let trace): "\(number.rawValue) of \(trace.id.prefix(8))"
        case .owned(let number, let position):
            "\(number.rawValue) from "
                + (position == .beyondAll ? "ever" : "\(position.sequence.rawValue)")
        }
    }

    private static func words(_ answer: WriteAnswer) -> String {
        switch answer {
        case .taken(let position): "taken at \(position.sequence.rawValue)"
        case .queued: "queued"
        case .refused(let rejection): "refused \(rejection.status)"
        case .full: "full"
        case .unusable: "unusable"
        case .overtaken: "overtaken"
        case .undecided: "undecided"
        }
    }
}
