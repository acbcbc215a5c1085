import CacheModel
import CacheWire

/// What one attempt at one key came to.
struct PrefetchEnding: Sendable {
    var result: Result<PrefetchOutcome, CacheError>
    /// Whether there was no room for it, or nobody who could answer: it may do better later.
    var isPushedBack = false
    /// When, if that was said.
    var retryAfter: Duration?

    /// As several nodes have it: failures first, and the least of what the others said.
    init(_ parts: [PrefetchEnding]) {
        guard var worst = parts.first else {
            preconditionFailure("a key is asked of one node at least")
        }
        for part in parts.dropFirst() where part.gravity > worst.gravity { worst = part }
        self = worst
        retryAfter = parts.compactMap(\.retryAfter).max()
    }

    init(_ error: CacheError) {
        result = .failure(error)
        isPushedBack = Self.isPassing(error)
    }

    init(_ answer: OperationAnswer) {
        let wasLoaded = answer.detail == Tier.origin.rawValue
        switch answer.status {
        case .hit: result = .success(wasLoaded ? .loaded : .fresh)
        case .miss: result = .success(answer.flags.contains(.negative) ? .absent : .notKept)
        default:
            let error = CacheError(answer)
            result = .failure(error)
            isPushedBack = Self.isPassing(error)
            retryAfter = answer.retryAfter
        }
    }

    private var gravity: Int {
        switch result {
        case .success(let outcome): outcome.rawValue
        // One that will not pass by itself says more.
        case .failure: PrefetchOutcome.allCases.count + (isPushedBack ? 0 : 1)
        }
    }

    private static func isPassing(_ error: CacheError) -> Bool {
        switch error.code {
        case .busy, .timedOut, .disconnected, .behind: true
        case .loadFailed:
            switch error.loadFailure {
            case .timedOut, .stillLoading, .unreachable, .unavailable, .broken, .overloaded,
                .cancelled:
                true
            default: false
            }
        default: false
        }
    }
}
