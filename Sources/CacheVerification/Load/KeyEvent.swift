import CacheModel

/// Something that happened to a key, as its thread saw it. Takes no memory but its own.
struct KeyEvent: Sendable {
    enum Kind: UInt8 {
        case changed
        case invalidationSent
        case receiptComplete
        case receiptIncomplete
        case receiptMissing
        case fillSent
        case stored
        case fillRefused
        case missed
        case answeredFresh
        case answeredStale
        case answeredUnfenced
        case answeredDamaged
        /// With a value that another run wrote.
        case answeredForeign

        static func answered(_ answer: JudgedAnswer, isOfThisRun: Bool) -> Kind {
            guard isOfThisRun else { return .answeredForeign }
            return switch answer.standing {
            case .fresh: .answeredFresh
            case .stale: .answeredStale
            case .unfenced: .answeredUnfenced
            case .miss: .missed
            }
        }

        /// Whether it is an answer to a get.
        var isAnswer: Bool { rawValue >= Kind.missed.rawValue }
    }

    let kind: Kind
    let key: UInt32
    /// Counts the events of a book, so that those of two rings can be told in order.
    var number: UInt64 = 0
    let version: Version
    let at: Instant
    /// When what was answered had been asked for.
    let askedAt: Instant
    let position: LogPosition

    init(
        _ kind: Kind, _ key: Int, _ version: Version, at now: Instant,
        position: LogPosition = .none
    ) {
        self.kind = kind
        self.key = UInt32(truncatingIfNeeded: key)
        self.version = version
        at = now
        askedAt = now
        self.position = position
    }

    /// Whether both are the one receipt that promised a version.
    func isSameReceipt(as other: KeyEvent) -> Bool {
        kind == other.kind && version == other.version && at == other.at
    }

    init(_ kind: Kind, _ answer: JudgedAnswer, _ version: Version, at now: Instant) {
        self.kind = kind
        key = UInt32(truncatingIfNeeded: answer.key)
        self.version = version
        at = now
        askedAt = answer.askedAt
        position = answer.position
    }
}
