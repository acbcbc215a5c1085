import CacheMetrics
import CacheModel
import CacheNodeCore
import CacheWire
import Telemetry

extension SlowOperation {
    /// What a shard has sampled. One that was not kept aside has no measured time.
    init(_ note: ShardSampleNote) {
        self.init(note.isPrefetch ? "prefetch" : "\(note.type)", took: note.took ?? .zero)
        namespace = note.namespace
        key = note.key
        keyCount = 1
        if let times = note.times { parts = times.parts }
        facts = Self.answer(note)
        if let bytes = note.valueBytes { facts.append(("bytes", "\(bytes)")) }
        if note.isForPeer { facts.append(("asker", "node")) }
        trace = note.trace
    }

    /// What it was answered, and where that came from or why it was.
    private static func answer(_ note: ShardSampleNote) -> [(name: String, value: String)] {
        switch note.status {
        case .hit, .stale:
            let tier = Tier(rawValue: note.detail) ?? .none
            return [("outcome", word(note.status)), ("from", "\(tier)")]
        case .miss where note.flags.contains(.negative): return [("outcome", "absent")]
        case .stored, .removed:
            let isQueued = note.flags.contains(.queued)
            return [("outcome", word(note.status))] + (isQueued ? [("queued", "true")] : [])
        case .refused:
            return because(StoreRefusal(rawValue: note.detail).map { "\($0)" }, note)
        case .behind: return because(BehindReason(rawValue: note.detail).map { "\($0)" }, note)
        case .failed: return because(LoadFailure(rawValue: note.detail).map { "\($0)" }, note)
        default: return [("outcome", word(note.status))]
        }
    }

    private static func because(
        _ cause: String?, _ note: ShardSampleNote
    ) -> [(name: String, value: String)] {
        [("outcome", word(note.status))] + (cause.map { [("cause", $0)] } ?? [])
    }

    private static func word(_ status: ResultStatus?) -> String {
        status.map { "\($0)" } ?? "unknown"
    }
}

extension SlowOperation {
    /// What a shard has noted.
    init(_ note: ShardWaitNote) {
        self.init("\(note.type)", took: note.took)
        namespace = note.namespace
        key = note.key.isEmpty ? nil : note.key
        keyCount = note.keyCount
        parts = note.times.parts
        trace = note.trace
    }
}

extension SpanExporter {
    /// The span of a request that a shard has kept aside for a recorded trace. It never says keys.
    func record(_ note: ShardWaitNote, of node: NodeID) {
        guard let trace = note.trace else { return }
        let operation = "\(note.type)"
        recordServed("\(operation) \(note.namespace.name)", for: trace, took: note.took) { span in
            span.add("db.system.name", .text("martlet"))
            span.add("db.operation.name", .text(operation))
            span.add("db.namespace", .text(note.namespace.name))
            if note.keyCount > 1 {
                span.add("db.operation.batch.size", .integer(Int64(note.keyCount)))
            }
            span.add("martlet.node", .text(node.name))
            for part in note.times.parts where part.took > .zero {
                let seconds = Double(part.took.wholeNanoseconds) / 1_000_000_000
                span.add("martlet.waited.\(part.name)", .number(seconds))
            }
        }
    }
}

extension WaitedTimes {
    /// For what a request was kept aside, and how long.
    var parts: [(name: String, took: Duration)] {
        [("position", position), ("publisher", publisher), ("disk", disk), ("origin", origin)]
    }
}
