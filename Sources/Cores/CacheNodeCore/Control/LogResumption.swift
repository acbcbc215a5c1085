package import CacheModel

/// The position from which a node continues with the entries that it has on disk.
package struct LogResumption: Hashable, Sendable {
    package let log: LogID
    /// The position that every shard has applied. A shard that has applied more receives some
    /// records again.
    package let mark: LogMark

    package init(log: LogID, mark: LogMark) {
        precondition(log != .none && mark.position.epoch != .none, "it followed a log")
        self.log = log
        self.mark = mark
    }
}
