public import CacheModel

extension LogPosition {
    /// A position whose sequence number fits 48 bits, or a refusal.
    @inlinable
    package static func checked(
        epoch: UInt32, sequence: UInt64
    ) throws(WireRefusal) -> LogPosition {
        guard sequence <= SequenceNumber.max.rawValue else {
            throw WireRefusal(.outOfRange, "a sequence number is below 2^48")
        }
        return LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }
}
