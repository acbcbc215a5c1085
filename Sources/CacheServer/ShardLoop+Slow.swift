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
        parts = Self.parts(of: note.times)
        trace = note.trace
    }

    /// For what a request was kept aside, and how long.
    static func parts(of times: WaitedTimes) -> [(name: String, took: Duration)] {
        [
            ("position", times.position), ("publisher", times.publisher),
            ("disk", times.disk), ("origin", times.origin),
        ]
    }
}
