package import CacheModel

/// Where a node stood that has what it held then on its disk, and goes on from there.
package struct LogResumption: Hashable, Sendable {
    package let log: LogID
    /// What every shard has obeyed. One that has obeyed more is handed some records again.
    package let mark: LogMark

    package init(log: LogID, mark: LogMark) {
        precondition(log != .none && mark.position.epoch != .none, "it followed a log")
        self.log = log
        self.mark = mark
    }
}
