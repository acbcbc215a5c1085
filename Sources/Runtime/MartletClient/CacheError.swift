public import CacheModel
import ZeroMQ

/// An error of a ``CacheClient`` call.
public struct CacheError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. New codes may appear in a minor release: switch with a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case invalidArgument, valueTooLarge, closed, cancelled
            case disconnected, busy, timedOut
            case behind, refused, unauthorised, loadFailed, protocolViolation, unreadableValue
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        // Before anything is sent: the effect has not happened.

        /// An argument is outside its limits or invalid; the message says which.
        public static let invalidArgument = Code(.invalidArgument)
        /// The value exceeds the longest possible value. A retry does not help.
        public static let valueTooLarge = Code(.valueTooLarge)
        /// The client was closed.
        public static let closed = Code(.closed)

        // On the way: see ``CacheError/mayHaveHappened``.

        /// The calling task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// No process that can answer is reachable. Nothing was sent.
        public static let disconnected = Code(.disconnected)
        /// A bound was reached, here or at the other side, until the deadline. The effect has not
        /// happened.
        public static let busy = Code(.busy)
        /// No answer came before the deadline. A store or removal may have happened.
        public static let timedOut = Code(.timedOut)

        // Answered: the effect has not happened.

        /// The shard is up, but has not applied the required position, or may not serve fresh
        /// values now.
        public static let behind = Code(.behind)
        /// The other side declined the request. ``CacheError/message`` says why, and
        /// ``CacheError/refusal`` is the reason as a value.
        public static let refused = Code(.refused)
        /// The key of this client lacks the required permission; ``CacheError/message`` says which.
        /// The error does not reveal whether a key exists.
        public static let unauthorised = Code(.unauthorised)
        /// The node asked the origin and got no value. ``CacheError/message`` says why, and
        /// ``CacheError/loadFailure`` is the reason as a value. No stale value may be shown
        /// instead.
        public static let loadFailed = Code(.loadFailed)
        /// The key has a value, and not one of the type that was asked for.
        public static let unreadableValue = Code(.unreadableValue)
        /// The answer cannot be read. A store or removal may have happened.
        public static let protocolViolation = Code(.protocolViolation)

        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong and what the caller can do.
    public let message: String
    /// Whether the request may have taken effect all the same. Always `false` for reads.
    public let mayHaveHappened: Bool
    /// Why a store was not admitted; `nil` for other failures.
    public let refusal: StoreRefusal?
    /// Why a node could not load the value; `nil` for other failures.
    public let loadFailure: LoadFailure?
    /// The other side does not know this question: its release is older.
    let isUnsupported: Bool
    /// The process that was asked belongs to another cluster.
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

    /// One sentence, with the code in front.
    public var description: String { "\(code): \(message)" }

    static var closed: CacheError {
        CacheError(.closed, "the client was closed; make a new one")
    }

    /// The same error, for a request with an earlier unanswered attempt.
    var inDoubt: CacheError {
        guard !mayHaveHappened else { return self }
        return CacheError(
            code,
            "it was sent, not answered, and may have been done; asked again: \(message)",
            mayHaveHappened: true, refusal: refusal, loadFailure: loadFailure,
            isUnsupported: isUnsupported, isOtherCluster: isOtherCluster)
    }

    /// The same error, for a request that changes nothing by itself.
    var certain: CacheError {
        CacheError(
            code, message, mayHaveHappened: false, refusal: refusal, loadFailure: loadFailure,
            isUnsupported: isUnsupported, isOtherCluster: isOtherCluster)
    }

    /// The process that was asked belongs to another cluster. It refused the request, unless its
    /// release does not check the cluster.
    static func otherCluster(mayHaveHappened: Bool) -> CacheError {
        CacheError(
            .disconnected,
            "the process that listens there belongs to another cluster; name an endpoint of yours",
            mayHaveHappened: mayHaveHappened, isOtherCluster: true)
    }

    static var foreignPosition: CacheError {
        CacheError(
            .invalidArgument,
            "the position is of another cluster, or from before this one was reset: it means "
                + "nothing here; read without it")
    }

    /// Changes are not sent while the topology comes from an unconfirmed kept endpoint.
    static var unconfirmed: CacheError {
        CacheError(
            .disconnected,
            "no endpoint that was named answers, and whether those known from an earlier time are "
                + "still of this cluster is not certain: nothing was sent; name one that runs")
    }

    /// Whether the request certainly had no effect and may be retried.
    var isPassing: Bool { code == .busy || isOtherCluster && !mayHaveHappened }

    /// The connection is up, but no answers arrive over it.
    static func unanswering(_ peerName: String) -> CacheError {
        CacheError(
            .disconnected,
            "\(peerName) is connected and does not answer, so nothing was sent; the client keeps "
                + "trying it; check that it is not stopped or overloaded, or try again")
    }

    /// There are several publishers, and none of them leads.
    ///
    /// - Parameter mayHaveHappened: whether an earlier attempt got no answer.
    static func noLeader(mayHaveHappened: Bool) -> CacheError {
        let outcome =
            mayHaveHappened
            ? "an earlier attempt got no answer, so it may have been done; repeat it once one leads"
            : "nothing was done; check that the publishers and their etcd run, or try again"
        return CacheError(
            .disconnected, "no publisher leads now, and \(outcome)",
            mayHaveHappened: mayHaveHappened)
    }

    static func unreachable(_ peerName: String) -> CacheError {
        CacheError(
            .disconnected,
            "\(peerName) cannot be reached and nothing was sent; check that it runs, or try again")
    }

    /// - Throws: ``Code/invalidArgument`` if one side has a key and the other has none.
    static func check(_ endpoint: Endpoint, _ keys: ClientKeys?) throws(CacheError) {
        switch (endpoint.serverKey, keys) {
        case (.some, .none):
            throw CacheError(
                .invalidArgument,
                "\(endpoint) authenticates its clients: this one needs a key of its own")
        case (.none, .some):
            throw CacheError(
                .invalidArgument,
                "\(endpoint) does not name the server's key, so any process could answer: copy "
                    + "the whole endpoint, with ?key= and its digits")
        default: return
        }
    }
}
