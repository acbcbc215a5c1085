import CommandSurface
import MartletClient

extension ExitStatus {
    /// The status that a failure of the client means.
    init(_ error: CacheError) {
        self =
            switch error.code {
            case .invalidArgument: .wrongUsage
            // Of a load that failed: the origin could not be reached, or as good as not.
            case .disconnected, .timedOut, .loadFailed: .unreachable
            case .behind: .notFresh
            case .refused, .unauthorised, .valueTooLarge, .busy, .protocolViolation: .refused
            default: .bug
            }
    }
}
