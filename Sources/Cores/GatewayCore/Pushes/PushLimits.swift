import CacheModel

/// Every bound of the pushes, side by side, so that their relations can be read and checked.
///
/// A gateway tells browsers about invalidations. This module is its core: it follows one log, keeps
/// the newest records, knows every subscriber's interests, and decides which bytes each one is
/// sent. It owns no socket and no thread and reads no clock. The gateway reports the events and the
/// time under one lock, and executes the returned actions.
///
///     record ──▶ PushHub ──▶ View: the part that is shown ──▶ InterestIndex: its readers
///                   │                                               │
///                   ▼                                               ▼
///               RecordRing ──▶ replays after a reconnect ──▶ PushMessage ──▶ send
///
/// docs/decisions/0061 gives the reasons, docs/pushes.md the messages.
package enum PushLimits {
    // MARK: Subscribers

    /// Most subscribers at a time, unless the gateway is told otherwise.
    package static let subscribersMax = 20_000
    /// Most interests of one subscriber.
    package static let interestsMax = 64
    /// Most bytes of the message that begins a subscription.
    package static let requestBytesMax = 64 << 10
    /// How long a client may be connected without a request.
    package static let requestPatience: Duration = .seconds(10)
    /// A reader with more waiting bytes than this is cut at the next message: so at most this and
    /// one message of any length wait.
    package static let queueBytesMax = 256 << 10
    /// A replay continues while fewer bytes than this wait.
    package static let replayBytesAhead = 128 << 10
    /// How long a reader may take none of its waiting bytes.
    package static let stallMax: Duration = .seconds(30)
    /// The earliest time for a reader that was cut to reconnect.
    package static let returnPause: Duration = .seconds(1)

    // MARK: History

    /// Most records kept for subscribers that reconnect.
    package static let ringRecordsMax = 65_536
    /// Most bytes of names in them, each counted twice: as received and as sent.
    package static let ringBytesMax = 64 << 20
    /// What a kept record costs beside its names.
    package static let recordOverhead = 256
    /// Comparisons that one step of replays makes before live records get their turn: a few
    /// milliseconds.
    package static let replayStepMax = 65_536
    /// Heartbeats that must report a head before the position that a subscriber claims, before the
    /// subscriber is taken to be wrong: the first may have been on its way.
    package static let beatsUntilGone = 2

    // MARK: Time

    /// How often each subscriber is sent the head of the log.
    package static let heartbeatSpacing: Duration = .seconds(5)
    /// How often the gateway calls ``PushHub/tick(now:into:)``.
    package static let tickSpacing: Duration = .milliseconds(100)
    /// Heartbeats are spread over so many ticks.
    package static let heartbeatBuckets = 50
    /// The silence after which the publisher is reported as away. It sends twice a second.
    package static let awayAfter: Duration = .seconds(3)

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(
            tickSpacing * heartbeatBuckets == heartbeatSpacing, "each bucket has one tick")
        precondition(replayBytesAhead < queueBytesMax, "a replay alone does not cut its reader")
        precondition(
            interestsMax * (CacheKey.bytesMax * 4 / 3) > requestBytesMax,
            "the bytes of a request are the narrower bound for long names")
    }
}
