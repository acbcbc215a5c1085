import CacheClientCore
import CacheModel
import CacheWire

extension CacheError {
    init(_ answer: OperationAnswer) {
        let node = answer.node.map { "node \($0)" } ?? "the node"
        switch answer.status {
        case .busy where answer.detail == StoreRefusal.unconfigured.rawValue:
            self.init(
                .busy,
                "\(node) has not received a configuration that it can read; check that it "
                    + "reaches a publisher, and what its log says")
        case .busy where answer.detail == StoreRefusal.moved.rawValue:
            self.init(
                .busy,
                "\(node) does not answer for the key, and no other node did until the deadline; "
                    + "see martlet status for keys that are on the move, and try again")
        case .busy, .deferred:
            self.init(.busy, "\(node) had no room for it until the deadline; try again later")
        case .behind where answer.detail == BehindReason.lease.rawValue:
            self.init(
                .behind,
                "\(node) has lost touch with the publisher and its namespace refuses to guess; "
                    + "allow stale values or wait for it")
        case .behind where answer.detail == BehindReason.head.rawValue:
            self.init(
                .behind,
                "\(node) could not learn the publisher's position in time, and nothing less was "
                    + "asked for; try again, or do without --fresh")
        case .behind:
            self.init(
                .behind,
                "\(node) is at \(answer.proof.position) and did not reach the position asked "
                    + "for in time; wait longer or demand less")
        case .refused:
            self.init(refusedBy: node, answer)
        case .failed:
            let failure = LoadFailure(rawValue: answer.detail)
            let reason = failure?.sentence ?? "loading it failed for a cause not known here"
            let when = answer.retryAfter.map { " (try again in \($0.wholeMilliseconds) ms)" } ?? ""
            self.init(.loadFailed, "\(node): \(reason)\(when)", loadFailure: failure)
        default:
            self.init(
                .protocolViolation, "\(node) answered something else than was asked",
                mayHaveHappened: true)
        }
    }

    /// The error in an answer to a change. BEHIND to a change without a required position means:
    /// the change was ordered, or sent to the origin, and the node does not show it yet.
    init(ofChange answer: OperationAnswer) {
        let error = CacheError(answer)
        guard answer.status == .behind else {
            self = error
            return
        }
        self.init(
            error.code, "it may have been done: \(error.message)", mayHaveHappened: true)
    }

    private init(refusedBy node: String, _ answer: OperationAnswer) {
        let cause = StoreRefusal(rawValue: answer.detail)
        let reason = answer.fields.message ?? cause?.sentence ?? "for a cause not known here"
        self.init(
            cause == .tooLarge ? .valueTooLarge : .refused, "\(node) refused: \(reason)",
            // The publisher may order it later, and then it takes effect.
            mayHaveHappened: cause == .publisherUnreachable, refusal: cause)
    }

    /// The error that an ERROR message means, and the requested pause before a retry.
    static func reading(_ message: MessageView) -> (CacheError, retryAfter: Duration?) {
        do {
            let reply = try ErrorReply(decoding: message)
            let retryAfter = reply.retryAfterMilliseconds.map {
                Duration.milliseconds(Int64($0))
            }
            switch reply.knownCode {
            case .busy: return (CacheError(.busy, "\(reply.message); try again later"), retryAfter)
            case .unavailable: return (CacheError(.disconnected, reply.message), nil)
            case .unauthorised: return (CacheError(.unauthorised, reply.message), nil)
            case .wrongCluster: return (.otherCluster(mayHaveHappened: false), nil)
            case .unknownType, .unsupported:
                return (CacheError(.refused, reply.message, isUnsupported: true), nil)
            default: return (CacheError(.refused, reply.message), nil)
            }
        } catch {
            return (.violation(error.sentence, mayHaveHappened: true), nil)
        }
    }

    static func violation(_ reason: String, mayHaveHappened: Bool) -> CacheError {
        CacheError(
            .protocolViolation,
            "the answer cannot be read (\(reason)); check that both sides speak the same version",
            mayHaveHappened: mayHaveHappened)
    }

    static func silence(of peerName: String, mayHaveHappened: Bool) -> CacheError {
        let effect = mayHaveHappened ? "; it may have been done all the same" : ""
        return CacheError(
            .timedOut, "\(peerName) did not answer in time\(effect)",
            mayHaveHappened: mayHaveHappened)
    }

    static func cancelled(mayHaveHappened: Bool) -> CacheError {
        CacheError(
            .cancelled, "the task that asked was cancelled; whether it was done is not known",
            mayHaveHappened: mayHaveHappened)
    }

    static var tooManyOpen: CacheError {
        CacheError(.busy, "too many operations are open in this client; slow down")
    }

    init(_ refusal: NodeRouting.Refusal) {
        switch refusal {
        case .unknownNode(let id, let known):
            let names = known.map(\.name).joined(separator: ", ")
            self.init(.invalidArgument, "the cluster has no node \(id); it has \(names)")
        case .keyHasMoved:
            self.init(
                .refused, "the key has moved to another node since its token was given",
                refusal: .tokenTooOld)
        case .noShard:
            self.init(
                .disconnected, "no node of the cluster has a shard that could hold the key")
        }
    }

    var isUnreachable: Bool { code == .disconnected || code == .timedOut }
}
