import CacheHTTP
import CacheModel
import GatewayCore
import MartletClient

extension Problem {
    /// The HTTP problem for a failure of the cluster's client.
    init(_ error: CacheError) {
        self.init(Self.kind(of: error), error.message)
        mayHaveHappened = error.mayHaveHappened || error.refusal == .originUnanswered
        if let failure = error.loadFailure, failure.passes { retryAfterSeconds = 1 }
        if error.refusal == .blind {
            detail += "; give the value the \(LoadRight.field) of the miss, or a Martlet-Version"
        }
    }

    private static func kind(of error: CacheError) -> ProblemKind {
        switch error.code {
        case .invalidArgument: .invalidArgument
        case .valueTooLarge: .valueTooLarge
        case .closed, .cancelled: .stopping
        case .disconnected: .unreachable
        case .busy: .busy
        case .timedOut: .timedOut
        case .behind: .behind
        case .refused: error.refusal.map(kind) ?? .conflict
        case .unauthorised: .clusterDenies
        case .loadFailed: .originFailed
        case .protocolViolation: .badAnswer
        default: .fault
        }
    }

    private static func kind(of refusal: StoreRefusal) -> ProblemKind {
        switch refusal {
        case .invalidatedMeanwhile, .leaseVoid, .olderVersion, .blind, .tokenTooOld, .changed:
            .conflict
        case .tooLarge: .valueTooLarge
        case .behind: .behind
        case .publisherUnreachable: .unreachable
        case .outOfRange: .invalidArgument
        case .absent: .notFound
        case .uploadIncomplete, .draining, .unconfigured, .moved: .busy
        case .originRefused, .queueUnusable: .originFailed
        case .originUnanswered: .timedOut
        case .full: .full
        }
    }
}

extension LoadFailure {
    /// Whether the same request may succeed a little later.
    fileprivate var passes: Bool {
        switch self {
        case .timedOut, .unreachable, .unavailable, .broken, .overloaded, .cancelled, .overtaken,
            .stillLoading:
            true
        case .refused, .tooLarge, .malformed, .noOrigin, .outdated, .notKept: false
        }
    }
}

extension Problem {
    /// The HTTP problem for a refused subscription.
    init(_ refusal: PushRefusal) {
        let kind: ProblemKind =
            switch refusal.code {
            case .badRequest: .invalidArgument
            case .unauthorised: .forbidden
            case .full: .busy
            case .stopping: .stopping
            }
        self.init(kind, refusal.sentence)
    }
}
