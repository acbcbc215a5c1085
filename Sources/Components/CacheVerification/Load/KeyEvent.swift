import CacheModel

/// An event of a key, as its thread saw it. It allocates no memory.
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
        /// Answered with a value of another run.
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
    /// Counts the events of a history, so that those of both rings can be sorted.
    var number: UInt64 = 0
    let version: Version
    let at: Instant
    /// When the request of an answer was sent.
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

extension KeyEvent {
    /// The event in words, without its time.
    var sentence: String {
        let place = position == .none ? "" : ", at \(position)"
        return deed.map { $0 + place } ?? answer + place + asked
    }

    /// An action of the thread, or its outcome; `nil` for an answer to a get.
    private var deed: String? {
        switch kind {
        case .changed: "the database changed it to version \(version)"
        case .invalidationSent: "invalidation sent; version \(version) was the newest"
        case .receiptComplete: "receipt: all reached; from here on version \(version) is promised"
        case .receiptIncomplete: "receipt for version \(version): not complete, promises nothing"
        case .receiptMissing: "no receipt came for version \(version); it promises nothing"
        case .fillSent: "token came; version \(version) sent to be stored under it"
        case .stored: "version \(version) stored"
        case .fillRefused: "version \(version) was not stored"
        default: nil
        }
    }

    private var answer: String {
        switch kind {
        case .answeredFresh: "answered fresh with version \(version)"
        case .answeredStale: "answered with version \(version), marked stale"
        case .answeredUnfenced: "answered with version \(version), marked unfenced"
        case .answeredDamaged: "answered with bytes that are not whole"
        case .answeredForeign: "answered with version \(version) of another run"
        default: "answered that it is not there"
        }
    }

    private var asked: String {
        "; asked \(MillisecondsText.text(of: at.elapsed(since: askedAt))) earlier"
    }
}
