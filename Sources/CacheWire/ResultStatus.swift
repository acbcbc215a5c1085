/// What became of one operation. The numbers are on the wire.
public enum ResultStatus: UInt8, CaseIterable, Sendable {
    case hit = 1
    case miss = 2
    case stale = 3
    case behind = 4
    case stored = 5
    case removed = 6
    case touched = 7
    case received = 8
    case refused = 9
    case busy = 10
    case deferred = 11
    case changed = 12
}

/// Marks on one result.
public struct ResultFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Stored outside of the promise: without a token, or with a version and tags.
    @inlinable package static var unfenced: ResultFlags { ResultFlags(rawValue: 1) }
    /// Stale because the node's lease is over.
    @inlinable package static var suspect: ResultFlags { ResultFlags(rawValue: 2) }
    /// Stale because of a soft invalidation.
    @inlinable package static var soft: ResultFlags { ResultFlags(rawValue: 4) }
}

/// Where a value was found. The numbers are on the wire.
public enum Tier: UInt8, CaseIterable, Sendable, CustomStringConvertible {
    case none = 0
    case memory = 1
    case disk = 2
    case origin = 3

    public var description: String {
        switch self {
        case .none: "none"
        case .memory: "memory"
        case .disk: "disk"
        case .origin: "origin"
        }
    }
}

/// Why an answer is ``ResultStatus/behind``. The numbers are on the wire.
public enum BehindReason: UInt8, CaseIterable, Sendable {
    /// The shard has not reached the position asked for within the deadline.
    case position = 1
    /// The node's lease is over, and the namespace's policy is to refuse.
    case lease = 2
}
