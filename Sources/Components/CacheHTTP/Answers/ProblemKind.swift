/// What kinds of problems there are. A closed list; each has a name in `type`, a title and a
/// status, and a line in docs/http.md.
package enum ProblemKind: String, CaseIterable, Sendable {
    // The request as it is cannot be answered.
    case malformedTarget = "malformed-target"
    case malformedField = "malformed-field"
    case malformedBody = "malformed-body"
    case invalidArgument = "invalid-argument"
    case unauthenticated
    case forbidden
    case foreignPage = "foreign-page"
    case unknownRoute = "unknown-route"
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case slowRequest = "slow-request"
    case conflict
    case preconditionFailed = "precondition-failed"
    case bodyTooLarge = "body-too-large"
    case valueTooLarge = "value-too-large"
    case unsatisfiableRange = "unsatisfiable-range"
    case misdirected
    case headTooLarge = "head-too-large"

    // The gateway or the cluster cannot now.
    case fault
    case unknownCoding = "unknown-coding"
    case clusterDenies = "cluster-denies"
    case originFailed = "origin-failed"
    case badAnswer = "bad-answer"
    case unreachable
    case busy
    case behind
    case stopping
    case timedOut = "timed-out"
    case notCached = "not-cached"
    case full

    package var status: Int {
        switch self {
        case .malformedTarget, .malformedField, .malformedBody, .invalidArgument: 400
        case .unauthenticated: 401
        case .forbidden, .foreignPage: 403
        case .unknownRoute, .notFound: 404
        case .methodNotAllowed: 405
        case .slowRequest: 408
        case .conflict: 409
        case .preconditionFailed: 412
        case .bodyTooLarge, .valueTooLarge: 413
        case .unsatisfiableRange: 416
        case .misdirected: 421
        case .headTooLarge: 431
        case .fault: 500
        case .unknownCoding: 501
        case .clusterDenies, .originFailed, .badAnswer: 502
        case .unreachable, .busy, .behind, .stopping: 503
        case .timedOut, .notCached: 504
        case .full: 507
        }
    }

    package var title: String {
        switch self {
        case .malformedTarget: "The URL cannot be read"
        case .malformedField: "A field of the request cannot be read"
        case .malformedBody: "The body cannot be read"
        case .invalidArgument: "Something is outside its limits"
        case .unauthenticated: "A token is needed"
        case .forbidden: "The token does not allow it"
        case .foreignPage: "A page of another origin may not do this"
        case .unknownRoute: "There is no such resource"
        case .notFound: "The key is not in the cache"
        case .methodNotAllowed: "The resource does not have this method"
        case .slowRequest: "The request took too long to arrive"
        case .conflict: "The store was not admitted"
        case .preconditionFailed: "The condition does not hold"
        case .bodyTooLarge: "The body is too long for this gateway"
        case .valueTooLarge: "The value is longer than a value may be"
        case .unsatisfiableRange: "The value has no such part"
        case .misdirected: "The host is not this gateway's"
        case .headTooLarge: "The head of the request is too long"
        case .fault: "The gateway is at fault"
        case .unknownCoding: "The body's transfer coding is not known here"
        case .clusterDenies: "The cluster does not allow it to this gateway"
        case .originFailed: "The origin gave no value"
        case .badAnswer: "The cluster's answer cannot be read"
        case .unreachable: "The cluster, or a part of it, is not available"
        case .busy: "There is no room for it now"
        case .behind: "The cluster cannot show what was asked for yet"
        case .stopping: "The gateway is stopping"
        case .timedOut: "The cluster did not answer in time"
        case .notCached: "It is not in the cache, and nothing else was asked for"
        case .full: "The cache has no room for it and evicts nothing for it"
        }
    }

    /// After how many seconds another attempt may come to something; `nil`: not by waiting.
    package var retryAfterSeconds: Int? {
        switch self {
        case .unreachable, .busy, .behind, .stopping: 1
        default: nil
        }
    }
}
