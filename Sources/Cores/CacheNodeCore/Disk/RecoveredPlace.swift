package import CacheModel

/// The position in the publisher's log at which a shard with a recovered disk tier continues.
package struct RecoveredPlace: Equatable, Sendable {
    package var log: LogID
    package var mark: LogMark

    package init(log: LogID, mark: LogMark) {
        self.log = log
        self.mark = mark
    }
}
