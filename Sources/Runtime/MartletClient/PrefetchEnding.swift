import CacheModel
import CacheWire

/// The outcome of one attempt at one key.
struct PrefetchEnding: Sendable {
    var result: Result<PrefetchOutcome, CacheError>
    /// Whether capacity was missing or no node could answer: a retry may succeed.
    var isPushedBack = false
    /// The requested pause before a retry, if any.
    var retryAfter: Duration?

    /// The outcome of several nodes: a failure if there is one, or else the least of their
    /// outcomes.
    init(_ parts: [PrefetchEnding]) {
        guard var worst = parts.first else {
            preconditionFailure("a key is asked of one node at least")
        }
        for part in parts.dropFirst() where part.gravity > worst.gravity { worst = part }
        self = worst
        retryAfter = parts.compactMap(\.retryAfter).max()
    }

    init(_ outcome: DataRequest.Outcome?) {
        do throws(CacheError) {
            self.init(try DataRequest.answer(outcome))
        } catch {
            self.init(error)
        }
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
        // A permanent failure says more than a passing one.
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
