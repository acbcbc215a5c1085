import CacheModel

/// State of one shard of a peer, from its messages and its silence.
///
///     asked ──quietMax──▶ probed ──silenceMin──▶ silent ──probeInterval──▶ probed again …
///       ▲                    │                      │
///       └──── heard ◀────────┴──────────────────────┘
struct PeerStanding {
    /// Unanswered requests.
    private(set) var questionCount = 0
    /// Since when it owes a message.
    private var quietSince: Instant
    private var probedAt: Instant?
    private(set) var isSilent = false

    init(now: Instant) {
        quietSince = now
    }

    mutating func asked(now: Instant) {
        if questionCount == 0 {
            quietSince = now
            probedAt = nil
        }
        questionCount += 1
    }

    /// A request is answered, or no longer needed.
    mutating func settled() {
        questionCount -= 1
    }

    mutating func heard(now: Instant) {
        quietSince = now
        probedAt = nil
        isSilent = false
    }

    mutating func fellSilent(now: Instant) {
        isSilent = true
        probedAt = now
    }

    /// Whether it counts as silent from now on.
    func isTooQuiet(now: Instant) -> Bool {
        !isSilent && questionCount > 0
            && quietSince.advanced(by: PeerLimits.silenceMin) <= now
    }

    /// Whether to send it a request that it can answer at once. Counts as sent then.
    mutating func takeProbe(now: Instant) -> Bool {
        guard let due = probeDue, due <= now else { return false }
        probedAt = now
        return true
    }

    private var probeDue: Instant? {
        if isSilent { return probedAt?.advanced(by: PeerLimits.probeInterval) }
        guard questionCount > 0, probedAt == nil else { return nil }
        return quietSince.advanced(by: PeerLimits.quietMax)
    }

    /// When to check it again.
    var due: Instant? {
        let silence =
            isSilent || questionCount == 0
            ? nil : quietSince.advanced(by: PeerLimits.silenceMin)
        guard let probeDue else { return silence }
        return min(probeDue, silence ?? probeDue)
    }
}
