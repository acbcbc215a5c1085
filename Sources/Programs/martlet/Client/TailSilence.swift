import CacheModel
import CommandSurface
import MartletClient

/// Notices that the publisher is away, and that it is back.
struct TailSilence {
    /// Four heartbeats.
    static let patience: Duration = .seconds(2)

    private var heardAt: ContinuousClock.Instant
    private var isAway = false

    init(now: ContinuousClock.Instant) {
        heardAt = now
    }

    /// Something was heard.
    ///
    /// - Returns: what to say of it.
    mutating func heard(
        _ event: InvalidationStream.Event, now: ContinuousClock.Instant
    ) -> String? {
        defer {
            heardAt = now
            isAway = false
        }
        guard isAway else { return nil }
        let silence = FigureText.timeLeft(now - heardAt)
        if case .heartbeat(let head) = event {
            return "the publisher is back after \(silence); its log ends at \(head)"
        }
        return "the publisher is back after \(silence)"
    }

    /// Time has passed.
    ///
    /// - Returns: what to say of it, once.
    mutating func passed(now: ContinuousClock.Instant) -> String? {
        guard !isAway, now - heardAt >= Self.patience else { return nil }
        isAway = true
        return "the publisher has been silent for \(FigureText.timeLeft(now - heardAt)); "
            + "waiting for it"
    }
}
