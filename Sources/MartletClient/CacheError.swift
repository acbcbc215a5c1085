public import CacheModel

/// What a ``CacheClient`` call can fail with.
public struct CacheError: Error, Sendable {
    /// What kind of failure it was. New codes may appear in a minor release: switch with a
    /// `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case invalidArgument, valueTooLarge, closed, cancelled
            case disconnected, busy, timedOut
            case behind, refused, unauthorised, loadFailed, protocolViolation
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        // Before anything is sent: the effect has not happened.

        /// An argument is outside its limits or makes no sense; the message says which.
        public static let invalidArgument = Code(.invalidArgument)
        /// The value is longer than a value may be. Retrying will not help.
        public static let valueTooLarge = Code(.valueTooLarge)
        /// The client was closed.
        public static let closed = Code(.closed)

        // On the way: see ``CacheError/mayHaveHappened``.

        /// The calling task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// Nobody who could answer can be reached. Nothing was sent.
        public static let disconnected = Code(.disconnected)
        /// A bound is reached, here or at the other side, and was until the deadline. The effect
        /// has not happened.
        public static let busy = Code(.busy)
        /// No answer came before the deadline. A store or removal may have happened.
        public static let timedOut = Code(.timedOut)

        // Answered: the effect has not happened.

        /// The shard is there, but has not reached the position asked for, or may not call
        /// anything fresh now.
        public static let behind = Code(.behind)
        /// The other side understood the request and declined it; ``CacheError/message`` says
        /// why, and ``CacheError/refusal`` says it for a program.
        public static let refused = Code(.refused)
        /// The key of this client does not have the right that it takes; ``CacheError/message``
        /// says which. Whether a key is there is not told.
        public static let unauthorised = Code(.unauthorised)
        /// The node asked the origin, and got no value; ``CacheError/message`` says why, and
        /// ``CacheError/loadFailure`` says it for a program. Nothing stale may be shown instead.
        public static let loadFailed = Code(.loadFailed)
        /// The answer cannot be read. A store or removal may have happened.
        public static let protocolViolation = Code(.protocolViolation)

        public var description: String { kind.rawValue }
    }

    /// What kind of failure it was.
    public let code: Code
    /// What went wrong and what the caller can do.
    public let message: String
    /// Whether what was asked for may have happened all the same. Always `false` for reads.
    public let mayHaveHappened: Bool
    /// Why a store was not admitted; `nil` where the failure is another one.
    public let refusal: StoreRefusal?
    /// Why a node could not load the value; `nil` where the failure is another one.
    public let loadFailure: LoadFailure?
    /// The other side does not know such a question: it is of an older release.
    let isUnsupported: Bool
    /// Whoever was asked belongs to another cluster.
    let isOtherCluster: Bool

    init(
        _ code: Code, _ message: String, mayHaveHappened: Bool = false,
        refusal: StoreRefusal? = nil, loadFailure: LoadFailure? = nil,
        isUnsupported: Bool = false, isOtherCluster: Bool = false
    ) {
        self.code = code
        self.message = message
        self.mayHaveHappened = mayHaveHappened
        self.refusal = refusal
        self.loadFailure = loadFailure
        self.isUnsupported = isUnsupported
        self.isOtherCluster = isOtherCluster
    }
}

extension CacheError: CustomStringConvertible {
    /// One sentence for people, with the code in front.
    public var description: String { "\(code): \(message)" }
}

extension CacheError {
    static var closed: CacheError {
        CacheError(.closed, "the client was closed; make a new one")
    }

    /// The same, of a request that was sent before and not answered.
    var inDoubt: CacheError {
        guard !mayHaveHappened else { return self }
        return CacheError(
            code,
            "it was sent, not answered, and may have been done; asked again: \(message)",
            mayHaveHappened: true, refusal: refusal, loadFailure: loadFailure,
            isUnsupported: isUnsupported, isOtherCluster: isOtherCluster)
    }

    /// The same, of a request that changes nothing by itself.
    var certain: CacheError {
        CacheError(
            code, message, mayHaveHappened: false, refusal: refusal, loadFailure: loadFailure,
            isUnsupported: isUnsupported, isOtherCluster: isOtherCluster)
    }

    /// Who was asked is of another cluster. It has refused, unless it did not look.
    static func otherCluster(mayHaveHappened: Bool) -> CacheError {
        CacheError(
            .disconnected,
            "whoever listens there belongs to another cluster; name an endpoint of yours",
            mayHaveHappened: mayHaveHappened, isOtherCluster: true)
    }

    static var foreignPosition: CacheError {
        CacheError(
            .invalidArgument,
            "the position is of another cluster, or of a time before this one began anew: it says "
                + "nothing here; read without it")
    }

    /// Nothing is changed on the word of an endpoint that nobody named.
    static var unconfirmed: CacheError {
        CacheError(
            .disconnected,
            "no endpoint that was named answers, and whether those known from an earlier time are "
                + "still of this cluster is not certain: nothing was sent; name one that runs")
    }

    /// Whether it was certainly not done, and may be asked for again.
    var isPassing: Bool { code == .busy || isOtherCluster && !mayHaveHappened }

    /// A connection stands, and nothing comes over it.
    static func unanswering(_ whom: String) -> CacheError {
        CacheError(
            .disconnected,
            "\(whom) is connected and does not answer, so nothing was sent; the client goes on "
                + "trying it; check that it is not stopped or overloaded, or try again")
    }

    static func unreachable(_ whom: String) -> CacheError {
        CacheError(
            .disconnected,
            "\(whom) cannot be reached and nothing was sent; check that it runs, or try again")
    }
}
