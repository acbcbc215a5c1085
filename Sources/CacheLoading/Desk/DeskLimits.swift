import CacheModel

/// Every bound and weight of the desk that is not the namespace's own policy.
enum DeskLimits {
    // MARK: Turns

    /// Once the oldest waiting reader has waited this long, the newest goes first. Facebook's
    /// target [1]; a queue that is empty now and then never gets there. At most a quarter of the
    /// namespace's timeout, because a turn that comes later is worth little.
    ///
    /// [1] Maurer: Fail at Scale, ACM Queue 13(8), 2015.
    static let waitTarget = Duration.milliseconds(100)
    /// The parts of `waitTarget`'s other bound: so many of them are the timeout.
    static let waitPartsOfTimeout = 4
    /// A load of which most of the time went by in the queue gets its turn only if so many typical
    /// answers fit into the rest: about half of them are slower than one.
    static let answersForATurn = 2
    /// Refreshes and prefetches together take at most one in so many places, rounded up.
    static let refreshDivisor = 2
    /// Prefetches take at most one in so many places, rounded up.
    static let prefetchDivisor = 4
    /// Most loads that one call of `timeIsUp` looks at: some milliseconds of work.
    static let dueMax = 1_024

    // MARK: Limit of attempts

    /// What is left of the limit after congestion.
    static let congestionFactor = 0.7
    /// After a pause an origin begins with one in so many of its places, at least one.
    static let slowStartDivisor = 10

    // MARK: Retries

    /// The first rest lasts at most this long, each further one twice as long …
    static let restBase = Duration.milliseconds(50)
    /// … and none longer than this, but for what the origin asks for.
    static let restMax = Duration.seconds(1)
    /// Tenths of a retry that may be saved up: ten retries.
    static let budgetTenthsMax = 100
    /// Tenths of a retry that one first attempt earns.
    static let tenthsPerAttempt = 1
    /// Tenths that one retry costs.
    static let tenthsPerRetry = 10

    // MARK: Breaker

    /// The breaker looks back so many buckets …
    static let windowBuckets = 10
    /// … of this length: ten seconds.
    static let bucketLength = Duration.seconds(1)
    /// Fewer attempts than this within the window tell nothing.
    static let attemptsMin = 10
    /// One in so many of them that failed is too many.
    static let failedDivisor = 2
    /// So many in a row that reached nobody need no window: a quiet namespace would not find out
    /// otherwise that its origin is gone.
    static let unreachableMax = 5
    /// So many good probes in a row close the breaker.
    static let goodProbes = 3
    /// The pause doubles so often at most: eight times as long.
    static let doublingsMax = 3
    /// By how much a pause may be longer or shorter, so that nodes do not come back together.
    static let pauseJitter = Percent(10) ?? .none

    // MARK: What is told to those who are sent away

    /// They need not come back sooner …
    static let retryAfterMin = Duration.milliseconds(100)
    /// … or be told to wait longer than this, where it is a guess.
    static let retryAfterGuessMax = Duration.seconds(10)
    /// Where nothing is known yet.
    static let retryAfterUnknown = Duration.seconds(1)
    /// Longer than an origin may be believed when it says when to come back.
    static let retryAfterMax = Duration.seconds(86_400)
    /// One in so many parts of a new measurement enters the typical time of an answer.
    static let answerTimeDivisor = 8
}
