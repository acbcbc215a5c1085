import CacheInvalidation
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

    /// The log was read up to its head.
    ///
    /// - Returns: whether the store was set back: then this mark stays, until a later epoch shows
    ///   that the loss was noticed. A mark whose record is not kept any more is believed, unless
    ///   the store's revision is lower.
    package mutating func saw(_ log: FollowedLog, at revision: UInt64) -> Bool {
        guard let head = log.head else { return mark != .none || revision < self.revision }
        if head.mark.position.epoch <= mark.position.epoch {
            guard !log.isContradicted, revision >= self.revision, !isMissing(from: log, head)
            else { return true }
        }
        self = FurthestMark(log: head.log, mark: head.mark, revision: revision)
        return false
    }

    /// Whether another publisher has seen what this log has not.
    func isLost(by log: FollowedLog) -> Bool {
        guard let head = log.head else { return mark != .none }
        return head.mark.position.epoch <= mark.position.epoch && isMissing(from: log, head)
    }

    private func isMissing(from log: FollowedLog, _ head: HeadValue) -> Bool {
        guard head.log == self.log, head.mark.position >= mark.position else { return true }
        let known = log.window.digest(at: mark.position.sequence)
        return known.map { $0 != mark.digest } ?? false
    }

    /// The own writes have moved the log.
    package mutating func wrote(_ head: HeadValue, at revision: UInt64) {
        self = FurthestMark(log: head.log, mark: head.mark, revision: revision)
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
            let digest = words.hex("digest"), let revision = words.number("revision"),
            Epoch(epoch) <= InvalidationLimits.epochKeptMax
        else { return nil }
        self.init(
            log: LogID(log),
            mark: LogMark(
                position: LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence)),
                digest: LogDigest(digest)), revision: revision)
    }
}
