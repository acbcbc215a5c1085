import MartletClient

extension ExitStatus {
    /// The status that a failure of the client means.
    init(_ error: CacheError) {
        self =
            switch error.code {
            case .invalidArgument: .wrongUsage
            case .disconnected, .timedOut: .unreachable
            case .behind: .notFresh
            case .refused, .valueTooLarge, .busy, .protocolViolation: .refused
            default: .bug
            }
    }
}
