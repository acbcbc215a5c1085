import CacheModel

/// A value on its way to a store. Its bytes contain its number, so the oracle can look up the
/// source of every value that a reader gets.
struct Fill {
    /// The point that orders the value relative to invalidations.
    enum Claim {
        /// Loaded with the token of a miss.
        case fenced
        /// A plain store that the log ordered; this operation identifies it there.
        case ordered(OperationID)
        /// A plain store of a sharded topology.
        case blind
    }

    /// The first half of the operation id of an ordered store.
    static let storeOperations: UInt64 = 0x5E7

    let number: Int
    let item: Int
    var claim: Claim
    var tags: UInt64 = 0
    var version: Version = .none
    var token: FillToken?
    /// The number of the shard's load that returned it, if nodes load themselves.
    var load: UInt64?
    /// Where and at which step the token was given, or the load began.
    var tokenPlace: ShardPlace?
    var tokenStep = 0
    /// The step of the world at which the database was read.
    var readStep = 0
    /// The last step with changes that the answer shows; earlier than ``readStep`` if a replica
    /// lags.
    var sawStep = 0
    /// The version of its key that the database returned.
    var content: Version = .none
    /// Whether it is stored with an ETag: its own number.
    var hasValidator = false
    /// Whether the ETag has quotes, as HTTP requires: only then can it be sent to an origin.
    var isQuoted = false
    /// The database has no such value.
    var isAbsent = false
    /// Extra bytes of its value.
    var paddingBytes = 0
    /// The ETag and version that the miss returned, for revalidation.
    var renewable: Renewable?
    /// The database confirms that ETag or version.
    var isUnchanged = false

    /// The id of the load lease that it was loaded under. The nonce of a shard's own load is sent
    /// to no client, so the load's number stands for it.
    var lease: UInt64? { token?.nonce ?? load }

    /// The bytes stored for it.
    var value: [UInt8] {
        var bytes: [UInt8] = []
        for shift in stride(from: 0, to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
        return bytes + Array(repeating: UInt8(item), count: number % 7 + paddingBytes)
    }

    var validator: Validator? {
        hasValidator ? Validator(isQuoted ? "\"\(number)\"" : "\(number)") : nil
    }

    static func number(of value: [UInt8]) -> Int {
        value.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The ETag and version of a hidden entry in the answer to a miss. With them a client asks the
/// origin whether the entry has changed.
struct Renewable {
    var validator: Validator?
    var version: Version = .none

    /// The fill that the ETag belongs to.
    var fill: Int? { validator.flatMap { Int($0.description.filter { $0 != "\"" }) } }

    /// Whether a fill was stored with them.
    func names(_ fill: Fill) -> Bool {
        (validator == nil || validator == fill.validator)
            && (version == .none || version == fill.version)
    }
}
