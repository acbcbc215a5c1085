/// How many retries an origin may be given: a tenth of first attempts, and ten saved up. When
/// everything fails, retries add a tenth to the load instead of multiplying it.
///
/// The bookkeeping is Finagle's [1]: attempts pay in, retries pay out. gRPC's throttling [2] is of
/// the same kind, but pays by failures.
///
/// [1] Oliver: Retry Budgets, Finagle, 2016.
/// [2] gRPC proposal A6: client retries.
struct RetryBudget {
    /// In tenths of a retry, so that sums are exact.
    private(set) var tenths = DeskLimits.budgetTenthsMax

    /// A load had its first attempt.
    mutating func earn() {
        tenths = min(DeskLimits.budgetTenthsMax, tenths + DeskLimits.tenthsPerAttempt)
    }

    /// - Returns: whether there was enough for a retry.
    mutating func spend() -> Bool {
        guard tenths >= DeskLimits.tenthsPerRetry else { return false }
        tenths -= DeskLimits.tenthsPerRetry
        return true
    }

    /// The longest rest before the next attempt: exponential. How much of it is taken is chance
    /// ("full jitter" [1]), so that loads that failed together do not come back together.
    ///
    /// [1] Brooker: Exponential backoff and jitter, AWS Architecture Blog, 2015.
    ///
    /// - Parameter attemptCount: attempts so far, at least 1.
    static func restMax(afterAttempts attemptCount: Int) -> Duration {
        // Past 32 doublings every base is longer than the cap.
        let doublings = min(attemptCount - 1, 32)
        return min(DeskLimits.restMax, DeskLimits.restBase * (1 << doublings))
    }
}
