import CacheMemory
import CacheModel

/// Rate limit of revalidation while the node cannot vouch for its entries: each key is revalidated
/// at most once per ``ShardLimits/revalidationInterval``. Bounded.
///
/// Two generations: a request of the earlier one counts until it is old enough.
///
///     earlier ├─ a b ──────┤ recent ├─ b c ──────┤ now
struct RevalidationPace {
    /// The state of a key.
    enum Word: Equatable {
        /// Not requested recently.
        case due
        /// Requested, without a result so far.
        case asked
        /// Requested, and stored or confirmed since.
        case confirmed
    }

    private struct Question {
        var askedAt: Instant
        var isConfirmed = false
    }

    private let keysMax: Int
    private var recent: [KeyHash: Question] = [:]
    private var earlier: [KeyHash: Question] = [:]
    /// When the recent generation began.
    private var beganAt = Instant(nanoseconds: 0)

    /// - Parameter keysMax: of one generation. Beyond it no key is due.
    init(keysMax: Int = ShardLimits.revalidationsPerIntervalMax) {
        self.keysMax = keysMax
    }

    /// Number of remembered keys.
    var count: Int { recent.count + earlier.count }

    func word(on hash: KeyHash, now: Instant) -> Word {
        guard let question = question(on: hash, now: now) else {
            return hasRoom(now: now) ? .due : .asked
        }
        return question.isConfirmed ? .confirmed : .asked
    }

    /// Time until the key is due; zero if it is.
    func timeLeft(of hash: KeyHash, now: Instant) -> Duration {
        guard let question = question(on: hash, now: now) else {
            return hasRoom(now: now) ? .zero : Self.end(of: beganAt).elapsed(since: now)
        }
        return Self.end(of: question.askedAt).elapsed(since: now)
    }

    /// The key is requested now. No effect if it is not due.
    mutating func ask(_ hash: KeyHash, now: Instant) {
        guard word(on: hash, now: now) == .due else { return }
        if now >= Self.end(of: beganAt) {
            let isNext = now < Self.end(of: Self.end(of: beganAt))
            earlier = isNext ? recent : [:]
            recent = [:]
            beganAt = now
        }
        recent[hash] = Question(askedAt: now)
    }

    /// The key was stored, or the origin has confirmed the held entry.
    mutating func confirm(_ hash: KeyHash) {
        if recent.isEmpty, earlier.isEmpty { return }
        if recent[hash] != nil {
            recent[hash]?.isConfirmed = true
        } else if earlier[hash] != nil {
            earlier[hash]?.isConfirmed = true
        }
    }

    /// The request was withdrawn, or the key was invalidated since.
    mutating func forget(_ hash: KeyHash) {
        if recent.isEmpty, earlier.isEmpty { return }
        recent[hash] = nil
        earlier[hash] = nil
    }

    private func question(on hash: KeyHash, now: Instant) -> Question? {
        guard let question = recent[hash] ?? earlier[hash],
            now < Self.end(of: question.askedAt)
        else { return nil }
        return question
    }

    private func hasRoom(now: Instant) -> Bool {
        recent.count < keysMax || now >= Self.end(of: beganAt)
    }

    private static func end(of start: Instant) -> Instant {
        start.advanced(by: ShardLimits.revalidationInterval)
    }
}
