import CacheModel
import CacheNodeCore
import OperationLog

extension SlowOperation {
    /// What a shard has noted.
    init(_ note: ShardSlowNote) {
        self.init("\(note.type)", took: note.took)
        namespace = note.namespace
        key = note.key.isEmpty ? nil : note.key
        keyCount = note.keyCount
        parts = [
            ("position", note.times.position), ("publisher", note.times.publisher),
            ("disk", note.times.disk), ("origin", note.times.origin),
        ]
        trace = note.trace
    }
}
