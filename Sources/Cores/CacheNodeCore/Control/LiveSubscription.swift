import ByteCoding
import CacheModel

/// The subscription, which is renewed when heartbeats are missing for too long.
struct LiveSubscription: Sendable {
    /// When the last heartbeat came; `nil` if none ever did.
    private(set) var heartbeatAt: Instant?
    /// When the subscription is renewed if no heartbeat comes.
    private(set) var renewAt = Instant(nanoseconds: 0)
    private var silentSince = Instant(nanoseconds: 0)
    /// Between two heartbeats.
    private(set) var interval = NodeControlLimits.heartbeatDefault
    /// Where it is open, of several publishers; `nil`: nowhere yet, or where the only one is
    /// configured to send.
    private var endpoint: String?
    private var backoff: Backoff

    init(seed: UInt64) {
        backoff = Backoff(
            first: interval * NodeControlLimits.heartbeatsMissedMax,
            longest: NodeControlLimits.resubscribeWaitMax, seed: seed)
    }

    /// The publisher stated the interval of its heartbeats.
    mutating func adopt(heartbeatMilliseconds: UInt32) {
        interval = min(
            max(.milliseconds(heartbeatMilliseconds), NodeControlLimits.heartbeatMin),
            NodeControlLimits.heartbeatMax)
    }

    /// One of several publishers leads and sends there.
    ///
    /// - Returns: whether the subscription must be opened anew.
    mutating func follow(_ endpoint: String, now: Instant) -> Bool {
        guard endpoint != self.endpoint else { return false }
        self.endpoint = endpoint
        start(now: now)
        return true
    }

    mutating func start(now: Instant) {
        silentSince = now
        backoff.reset()
        renewAt = now.advanced(by: interval * NodeControlLimits.heartbeatsMissedMax)
    }

    mutating func receivedHeartbeat(now: Instant) {
        heartbeatAt = now
        start(now: now)
    }

    /// - Returns: how long the channel has been silent, if the subscription must be renewed now.
    mutating func renew(now: Instant) -> Duration? {
        guard renewAt <= now else { return nil }
        renewAt = now.advanced(by: backoff.next())
        return now.elapsed(since: silentSince)
    }
}

/// Back-off delays that double from `first` to `longest`, each reduced by up to a quarter at
/// random, so that nodes that lost the same publisher do not return at the same moment.
struct Backoff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var chance: UInt64
    private var doublings = 0

    init(first: Duration, longest: Duration, seed: UInt64) {
        self.first = first
        self.longest = longest
        chance = seed
    }

    /// The next delay.
    mutating func next() -> Duration {
        var wait = first
        for _ in 0..<doublings where wait < longest { wait *= 2 }
        if wait < longest { doublings += 1 }
        wait = min(wait, longest)
        chance &+= 0x9E37_79B9_7F4A_7C15
        let thousandths = StableHash.mix(chance) % 251
        return wait - wait * Int(thousandths) / 1_000
    }

    /// Success: the next delay is the first one again.
    mutating func reset() {
        doublings = 0
    }
}
