package import CacheModel

/// Where in the publisher's log a shard is whose disk tier goes on.
package struct RecoveredPlace: Equatable, Sendable {
    package var log: LogID
    package var mark: LogMark

    package init(log: LogID, mark: LogMark) {
        self.log = log
        self.mark = mark
    }
}
