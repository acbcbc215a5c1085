import CacheModel

/// Bounds and weights of the origin scheduler that are not part of the namespace's own policy.
enum OriginSchedulerLimits {
    // MARK: Turns

    /// Once the oldest waiting reader has waited this long, the newest goes first. Facebook's
    /// target [1]; a queue that is empty now and then never reaches it. At most a quarter of the
    /// namespace's timeout, because a later turn is worth little.
    ///
    /// [1] Maurer: Fail at Scale, ACM Queue 13(8), 2015.
    static let waitTarget = Duration.milliseconds(100)
    /// The other bound of `waitTarget`: the timeout divided by this.
    static let waitPartsOfTimeout = 4
    /// A load that spent most of its time in the queue gets its turn only if this many typical
    /// answers fit into the remaining time: about half of all answers are slower than the typical
    /// one.
    static let answersForATurn = 2
    /// Refreshes and prefetches together use at most the limit divided by this, rounded up.
    static let refreshDivisor = 2
    /// Prefetches use at most the limit divided by this, rounded up.
    static let prefetchDivisor = 4
    /// Maximum number of loads that one call of `timeIsUp` examines: some milliseconds of work.
    static let dueMax = 1_024

    // MARK: Limit of attempts

    /// The factor by which congestion reduces the limit.
    static let congestionFactor = 0.7
    /// After a pause an origin begins with its maximum divided by this, at least one.
    static let slowStartDivisor = 10

    // MARK: Retries

    /// The longest first back-off; it doubles with each further one …
    static let restBase = Duration.milliseconds(50)
    /// … up to this, unless the origin asks for more.
    static let restMax = Duration.seconds(1)
    /// Tenths of a retry that may be saved up: ten retries.
    static let budgetTenthsMax = 100
    /// Tenths of a retry that one first attempt earns.
    static let tenthsPerAttempt = 1
    /// Tenths that one retry costs.
    static let tenthsPerRetry = 10

    // MARK: Breaker

    /// Number of buckets in the breaker's window …
    static let windowBuckets = 10
    /// … of this length each: ten seconds in total.
    static let bucketLength = Duration.seconds(1)
    /// With fewer attempts than this within the window the breaker does not open by the failure
    /// ratio.
    static let attemptsMin = 10
    /// The breaker opens if at least one in this many of them failed.
    static let failedDivisor = 2
    /// This many consecutive unreachable attempts open the breaker without a window: otherwise a
    /// quiet namespace would not detect that its origin is gone.
    static let unreachableMax = 5
    /// This many consecutive successful probes close the breaker.
    static let goodProbes = 3
    /// Maximum number of doublings of the pause: eight times as long.
    static let doublingsMax = 3
    /// The jitter of a pause in both directions, so that nodes do not return together.
    static let pauseJitter = Percent(10) ?? .none

    // MARK: Retry-After of refused loads

    /// The shortest retry-after of a refused load …
    static let retryAfterMin = Duration.milliseconds(100)
    /// … and the longest, if it is an estimate.
    static let retryAfterGuessMax = Duration.seconds(10)
    /// If nothing is known yet.
    static let retryAfterUnknown = Duration.seconds(1)
    /// The longest retry-after that is accepted from an origin.
    static let retryAfterMax = Duration.seconds(86_400)
    /// A new measurement enters the typical answer time with the weight 1 / this.
    static let answerTimeDivisor = 8
}
