package import CacheModel

/// The furthest that a publisher has seen of the log and of the store, kept on its own disk. A log
/// that ends before it was restored from an older state, with the store around it.
package struct FurthestMark: Hashable, Sendable {
    package private(set) var log: LogID
    package private(set) var mark: LogMark
    package private(set) var revision: UInt64

    package static let none = FurthestMark(log: .none, mark: .none, revision: 0)

    package init(log: LogID, mark: LogMark, revision: UInt64) {
        self.log = log
        self.mark = mark
        self.revision = revision
    }

    /// The log was read.
    ///
    /// - Returns: whether the store was set back.
    package mutating func saw(_ head: HeadValue?, at revision: UInt64) -> Bool {
        guard let head else { return mark != .none || revision < self.revision }
        // A new epoch says that the loss was noticed.
        if head.mark.position.epoch > mark.position.epoch {
            self = FurthestMark(log: head.log, mark: head.mark, revision: revision)
            return false
        }
        guard head.mark.position >= mark.position, revision >= self.revision else { return true }
        self = FurthestMark(log: head.log, mark: head.mark, revision: revision)
        return false
    }

    /// Another publisher has seen the log there.
    ///
    /// - Returns: whether that is further, so that the store was set back.
    mutating func heard(_ other: FurthestMark) -> Bool {
        guard other.mark.position > mark.position else { return false }
        (log, mark) = (other.log, other.mark)
        return true
    }
}

extension FurthestMark {
    package var bytes: [UInt8] {
        var words = SharedWords()
        words.add("log", hex: log.rawValue)
        words.add("epoch", UInt64(mark.position.epoch.rawValue))
        words.add("sequence", mark.position.sequence.rawValue)
        words.add("digest", hex: mark.digest.rawValue)
        words.add("revision", revision)
        return words.bytes
    }

    /// - Returns: `nil` for bytes that no publisher of this release wrote.
    package init?(_ bytes: [UInt8]) {
        guard let words = SharedWords(bytes), let log = words.hex("log"),
            let epoch = words.number("epoch").flatMap({ UInt32(exactly: $0) }),
            let sequence = words.number("sequence"), sequence <= SequenceNumber.max.rawValue,
            let digest = words.hex("digest"), let revision = words.number("revision")
        else { return nil }
        self.init(
            log: LogID(log),
            mark: LogMark(
                position: LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence)),
                digest: LogDigest(digest)), revision: revision)
    }
}
