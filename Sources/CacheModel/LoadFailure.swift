/// Why a load came to nothing. A closed list; each has a number on the wire (docs/protocol.md) and
/// a sentence.
public enum LoadFailure: UInt8, Error, CaseIterable, Sendable {
    /// No answer within the time for it.
    case timedOut = 1
    /// No connection, or it broke before the answer was whole.
    case unreachable = 2
    /// The origin said that it cannot now: 5xx, 408, 425, 429.
    case unavailable = 3
    /// The origin said no: any other status that is no value. Or it was not asked, because the key
    /// cannot stand in its URL.
    case refused = 4
    /// The answer is longer than the namespace allows.
    case tooLarge = 5
    /// The answer cannot be what was asked for: a 304 that nobody asked for, an encoded body.
    case malformed = 6
    /// The origin has failed so often that it is left alone for a while.
    case broken = 7
    /// More loads wait than may.
    case overloaded = 8
    /// The node leaves, or has forgotten who asked.
    case cancelled = 9
    /// Invalidations came faster than loads ended.
    case overtaken = 10
    /// There is no origin for this namespace any more.
    case noOrigin = 11
    /// The origin answers with an older version than is known to exist.
    case outdated = 12
    /// The value is too long for one frame, and was not kept, so that the rest could not be read.
    case notKept = 13
    /// The reader's time is over, the load's is not: who asks again shares it.
    case stillLoading = 14

    /// Whether the next attempt may succeed where this one did not.
    package var isWorthAnother: Bool {
        switch self {
        case .timedOut, .unreachable, .unavailable: true
        default: false
        }
    }

    /// Whether the origin has answered, with a no: then nothing that is held stands in for its
    /// answer. RFC 5861 (4) counts 5xx alone as errors.
    package var isRefusal: Bool { self == .refused }

    /// One sentence for people, with what can be done.
    public var sentence: String {
        switch self {
        case .timedOut: "its origin did not answer in time"
        case .unreachable: "its origin cannot be reached, or broke off in the middle of its answer"
        case .unavailable: "its origin says that it cannot answer now"
        case .refused:
            "its origin refused the request, or the key cannot stand in the origin's URL; look at "
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
