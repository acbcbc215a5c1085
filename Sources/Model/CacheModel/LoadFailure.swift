/// Why a load failed. A closed list; each cause has a number on the wire (docs/protocol.md) and a
/// sentence.
public enum LoadFailure: UInt8, Error, CaseIterable, Sendable {
    /// No answer in time.
    case timedOut = 1
    /// No connection, or it broke before the answer was complete.
    case unreachable = 2
    /// The origin cannot answer now: 5xx, 408, 425, 429.
    case unavailable = 3
    /// The origin refused: any other status without a value. Or it was not asked, because the key
    /// is not valid in its URL.
    case refused = 4
    /// The answer is longer than the namespace allows.
    case tooLarge = 5
    /// The answer does not match the request: a 304 to an unconditional request, an encoded body.
    case malformed = 6
    /// The origin failed so often that its breaker is open.
    case broken = 7
    /// The queue of waiting loads is full.
    case overloaded = 8
    /// The node is leaving, or no longer knows the asker.
    case cancelled = 9
    /// Invalidations came faster than loads ended.
    case overtaken = 10
    /// The namespace no longer has an origin.
    case noOrigin = 11
    /// The origin answers with an older version than one known to exist.
    case outdated = 12
    /// The value is too long for one frame and was not stored, so the rest could not be read.
    case notKept = 13
    /// The reader's time is over, the load's is not: a repeated request shares the load.
    case stillLoading = 14

    /// Whether the next attempt may succeed where this one did not.
    package var isWorthAnother: Bool {
        switch self {
        case .timedOut, .unreachable, .unavailable: true
        default: false
        }
    }

    /// Whether the origin answered with a refusal: then no held value is served in place of its
    /// answer. RFC 5861 (4) counts only 5xx as errors.
    package var isRefusal: Bool { self == .refused }

    /// One sentence for people, with a remedy.
    public var sentence: String {
        switch self {
        case .timedOut: "its origin did not answer in time"
        case .unreachable: "its origin cannot be reached, or broke off in the middle of its answer"
        case .unavailable: "its origin says that it cannot answer now"
        case .refused:
            "its origin refused the request, or the key cannot be part of its URL; look at "
                + "the origin's own log"
        case .tooLarge: "its value is longer than the namespace's value-max"
        case .malformed: "its origin answered with something that is no value"
        case .broken: "its origin has failed so often that it is left alone for a while"
        case .overloaded: "more loads wait for its origin than may; try again later"
        case .cancelled: "the node that loaded it is leaving"
        case .overtaken: "it is invalidated faster than it can be loaded; try again"
        case .noOrigin: "its namespace has no origin"
        case .outdated: "its origin answers with an older version than is known to exist"
        case .stillLoading:
            "it is still being loaded from its origin; ask again, or allow more time"
        case .notKept:
            "its value is too long for one message and must not be kept; load it without the cache"
        }
    }
}
