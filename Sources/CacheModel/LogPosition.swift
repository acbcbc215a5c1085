/// One life of an invalidation log. A publisher that starts without its old log starts a greater
/// epoch. Zero means "no log heard of yet".
public struct Epoch: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let none = Epoch(0)

    public let rawValue: UInt32

    @inlinable
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The epoch after this one. Traps after four thousand million lives.
    public var next: Epoch { Epoch(rawValue + 1) }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    public var description: String { String(rawValue) }
}

/// A place in one epoch's log, contiguous from 1. ``none`` (0) means "nothing yet".
public struct SequenceNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let none = SequenceNumber(0)
    /// The greatest: entries and floors keep sequence numbers in 48 bits.
    public static let max = SequenceNumber(1 << 48 - 1)

    public let rawValue: UInt64

    @inlinable
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public var next: SequenceNumber { SequenceNumber(rawValue + 1) }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    public var description: String { String(rawValue) }
}

/// A place in a publisher's invalidation log.
///
/// Law of order – by epoch, then by sequence number:
///
///     (e1, 1) < (e1, 2) < … < (e2, 1) < (e2, 2)
///
/// Positions of two epochs are ordered, but nothing is known of the distance between them.
public struct LogPosition: Hashable, Comparable, Sendable {
    /// Before every record of every log.
    public static let none = LogPosition(epoch: .none, sequence: .none)

    public var epoch: Epoch
    public var sequence: SequenceNumber

    @inlinable
    public init(epoch: Epoch, sequence: SequenceNumber) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// The place right after this one in the same epoch.
    public var next: LogPosition { LogPosition(epoch: epoch, sequence: sequence.next) }

    /// Whether nothing can lie between `earlier` and this position.
    public func directlyFollows(_ earlier: LogPosition) -> Bool {
        epoch == earlier.epoch && sequence == earlier.sequence.next
    }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.epoch == rhs.epoch ? lhs.sequence < rhs.sequence : lhs.epoch < rhs.epoch
    }
}

extension LogPosition: CustomStringConvertible {
    /// `EPOCH:SEQUENCE`, as people type it.
    public var description: String { "\(epoch):\(sequence)" }

    /// Reads `EPOCH:SEQUENCE`.
    ///
    /// - Returns: `nil` for anything else, and for a sequence number beyond 48 bits.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = UInt32(parts[0]), let sequence = UInt64(parts[1]),
            sequence <= SequenceNumber.max.rawValue
        else { return nil }
        self.init(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }
}
