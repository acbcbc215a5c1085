import CacheHTTP
import PushCore

extension Problem {
    /// Why a client gets no subscription, in HTTP's words.
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
