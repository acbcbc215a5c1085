import CacheModel
package import CacheWire

extension RetrySchedule.Failure {
    /// What an answer says that does not end an operation; `nil` if it does.
    package init?(_ status: ResultStatus?, detail: UInt8, retryAfter: Duration?) {
        switch status {
        case .busy: self = .busy(retryAfter: retryAfter)
        case .deferred: self = .deferred
        case .behind where detail == BehindReason.position.rawValue: self = .behind
        // Whoever asks again shares the load.
        case .failed where detail == LoadFailure.stillLoading.rawValue: self = .silent
        default: return nil
        }
    }
}
