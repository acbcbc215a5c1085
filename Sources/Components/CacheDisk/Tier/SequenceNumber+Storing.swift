import CacheModel

extension SequenceNumber {
    /// `nil` for what no record of the publisher's log has, or none could follow.
    init?(stored: UInt64) {
        guard stored < SequenceNumber.max.rawValue else { return nil }
        self.init(stored)
    }
}
