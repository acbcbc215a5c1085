import CacheModel
import CacheNodeCore
import Telemetry

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
