import CacheModel

extension SequenceNumber {
    /// `nil` for a number that no record of the publisher's log has, or that none could follow.
    init?(stored: UInt64) {
        guard stored < SequenceNumber.max.rawValue else { return nil }
        self.init(stored)
    }
}
