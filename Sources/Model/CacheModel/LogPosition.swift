/// A place in a publisher's invalidation log.
///
/// Law of order – by epoch, then by sequence number:
///
///     (e1, 1) < (e1, 2) < … < (e2, 1) < (e2, 2)
///
/// Positions of two epochs are ordered, but the distance between them is unknown.
public struct LogPosition: Hashable, Comparable, Sendable {
    /// Before every record of every log.
    public static let none = LogPosition(epoch: .none, sequence: .none)
    /// After every record of every log: no log has so many epochs.
    package static let beyondAll = LogPosition(epoch: Epoch(.max), sequence: .max)

    public var epoch: Epoch
    public var sequence: SequenceNumber

    @inlinable
    public init(epoch: Epoch, sequence: SequenceNumber) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// The position right after this one in the same epoch.
    public var next: LogPosition { LogPosition(epoch: epoch, sequence: sequence.next) }

    /// Whether no record can be between `earlier` and this position.
    public func directlyFollows(_ earlier: LogPosition) -> Bool {
        epoch == earlier.epoch && earlier.sequence < .max && sequence == earlier.sequence.next
    }

    /// Whether a record is, or may be, between `earlier` and this position.
    package func leavesGap(after earlier: LogPosition) -> Bool {
        self > earlier && !directlyFollows(earlier)
    }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.epoch == rhs.epoch ? lhs.sequence < rhs.sequence : lhs.epoch < rhs.epoch
    }
}

extension LogPosition: CustomStringConvertible {
    /// `EPOCH:SEQUENCE`, as people type it.
    public var description: String { "\(epoch):\(sequence)" }

    /// Reads `EPOCH:SEQUENCE`, both in decimal digits.
    ///
    /// - Returns: `nil` for anything else, for an epoch beyond 32 bits and for a sequence number
    ///   beyond 48.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isDecimal = parts.allSatisfy { $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
        guard isDecimal, parts.count == 2, let epoch = UInt32(parts[0]),
            let sequence = UInt64(parts[1]),
            sequence <= SequenceNumber.max.rawValue
        else { return nil }
        self.init(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }
}
