/// The number of retries that an origin may receive: a tenth of first attempts, plus up to ten
/// saved. When everything fails, retries add a tenth to the load instead of multiplying it.
///
/// The accounting is Finagle's [1]: attempts deposit, retries withdraw. gRPC's throttling [2] is
/// similar, but withdraws on failures.
///
/// [1] Oliver: Retry Budgets, Finagle, 2016. [2] gRPC proposal A6: client retries.
struct RetryBudget {
    /// In tenths of a retry, so that sums are exact.
    private(set) var tenths = OriginSchedulerLimits.budgetTenthsMax

    /// A load began its first attempt.
    mutating func earn() {
        tenths = min(
            OriginSchedulerLimits.budgetTenthsMax, tenths + OriginSchedulerLimits.tenthsPerAttempt)
    }

    /// - Returns: whether the budget was sufficient for a retry.
    mutating func spend() -> Bool {
        guard tenths >= OriginSchedulerLimits.tenthsPerRetry else { return false }
        tenths -= OriginSchedulerLimits.tenthsPerRetry
        return true
    }

    /// The longest back-off before the next attempt: exponential. The actual one is random up to
    /// this ("full jitter" [1]), so that loads that failed together do not return together.
    ///
    /// [1] Brooker: Exponential backoff and jitter, AWS Architecture Blog, 2015.
    ///
    /// - Parameter attemptCount: attempts so far, at least 1.
    static func restMax(afterAttempts attemptCount: Int) -> Duration {
        // After 32 doublings every base is longer than the maximum.
        let doublings = min(attemptCount - 1, 32)
        return min(OriginSchedulerLimits.restMax, OriginSchedulerLimits.restBase * (1 << doublings))
    }
}
