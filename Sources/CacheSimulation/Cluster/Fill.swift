import CacheModel

/// A value that somebody means to store: the bytes carry its number, so whoever is served it can
/// look up where it came from.
struct Fill {
    /// What speaks for the value.
    enum Claim {
        /// Loaded under the token of a miss.
        case fenced
        /// A plain store that the log ordered; known there by this operation.
        case ordered(OperationID)
        /// A plain store of a sharded topology.
        case blind
    }

    /// The first half of the name that an ordered store has in the log.
    static let storeOperations: UInt64 = 0x5E7

    let number: Int
    let item: Int
    var claim: Claim
    var tags: UInt64 = 0
    var version: Version = .none
    var token: FillToken?
    /// The number of the load that a shard ended with it, where nodes load by themselves.
    var load: UInt64?
    /// Where and at which step the token was given, or the load begun.
    var tokenPlace: ShardPlace?
    var tokenStep = 0
    /// The step of the world at which the database was read.
    var readStep = 0
    /// The step whose changes the answer shows: an earlier one where a replica lags.
    var sawStep = 0
    /// Which of its key's values the database gave.
    var content: Version = .none
    /// Whether it is stored with an ETag: its own number.
    var hasValidator = false
    /// Whether that has quotes, as HTTP wants it: only then an origin can be asked by it.
    var isQuoted = false
    /// The database says that there is no such value.
    var isAbsent = false
    /// How much longer its value is than it has to be.
    var paddingBytes = 0
    /// What the miss named, to ask about.
    var renewable: Renewable?
    /// The database says that what the miss named is the value it has.
    var isUnchanged = false

    /// What names the load lease that it was loaded under. A load's own nonce is told to nobody;
    /// its number stands for it.
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
