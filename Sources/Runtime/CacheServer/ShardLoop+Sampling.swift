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
