import CacheModel
package import CacheWire

extension RetrySchedule.Failure {
    /// The failure in an answer that does not end the operation; `nil` if the answer ends it.
    package init?(_ status: ResultStatus?, detail: UInt8, retryAfter: Duration?) {
        switch status {
        case .busy: self = .busy(retryAfter: retryAfter)
        case .deferred: self = .deferred
        case .behind where detail == BehindReason.position.rawValue: self = .behind
        // A repeated request joins the load that is under way.
        case .failed where detail == LoadFailure.stillLoading.rawValue: self = .silent
        default: return nil
        }
    }
}
