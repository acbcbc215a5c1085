import CacheModel

/// What is known of one shard of a peer, from what it says and how long it says nothing.
///
///     asked ──quietMax──▶ probed ──silenceMin──▶ silent ──probeInterval──▶ probed again …
///       ▲                    │                      │
///       └──── heard ◀────────┴──────────────────────┘
struct PeerStanding {
    /// Questions that it has not answered.
    private(set) var questionCount = 0
    /// Since when it owes a word.
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

    /// A question is answered, or nobody wants to know any more.
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

    /// Whether it is to be asked something that it can answer at once. Counts as asked then.
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

    /// When it has to be looked at.
    var due: Instant? {
        let silence =
            isSilent || questionCount == 0
            ? nil : quietSince.advanced(by: PeerLimits.silenceMin)
        guard let probeDue else { return silence }
        return min(probeDue, silence ?? probeDue)
    }
}
