import CacheHTTP
import GatewayCore

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
