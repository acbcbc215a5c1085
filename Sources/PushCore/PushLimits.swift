import CacheModel

/// Every bound of the pushes, side by side, so that their relations can be read and checked.
///
/// A gateway tells browsers what is invalidated. This module is its mind: it follows one log,
/// keeps the newest records, knows who asked for what, and says who is sent which bytes. It owns
/// no socket and no thread and reads no clock; the gateway tells it what happened and what time it
/// is, under one lock, and performs what it answers.
///
///     record ──▶ PushHub ──▶ View: what of it may be seen ──▶ InterestIndex: by whom
///                   │                                               │
///                   ▼                                               ▼
///               RecordRing ──▶ replays after a reconnect ──▶ PushMessage ──▶ send
///
/// docs/decisions/0061 gives the reasons, docs/pushes.md the messages.
package enum PushLimits {
    // MARK: Subscribers

    /// Most subscribers at a time, unless the gateway is told otherwise.
    package static let subscribersMax = 20_000
    /// Most things that one subscriber asks for.
    package static let interestsMax = 64
    /// Most bytes of the message that begins a subscription.
    package static let requestBytesMax = 64 << 10
    /// How long somebody may be connected without saying what is wanted.
    package static let requestPatience: Duration = .seconds(10)
    /// One for whom more bytes than this wait is cut when there is another message: so at most
    /// this and one message of any length wait.
    package static let queueBytesMax = 256 << 10
    /// A replay goes on while less than this waits.
    package static let replayBytesAhead = 128 << 10
    /// For how long a reader may take nothing of what waits for it.
    package static let stallMax: Duration = .seconds(30)
    /// When one who was cut should be back at the earliest.
    package static let returnPause: Duration = .seconds(1)

    // MARK: History

    /// Most records kept for those who come back.
    package static let ringRecordsMax = 65_536
    /// Most bytes of names in them, each counted twice: as it came and as it is sent.
    package static let ringBytesMax = 64 << 20
    /// What a kept record costs beside its names.
    package static let recordOverhead = 256
    /// Comparisons that one step of replays makes before live records get their turn: a few
    /// milliseconds.
    package static let replayStepMax = 65_536
    /// So many heartbeats of the publisher have to say that its log ends before a position that
    /// somebody claims to have heard before it is believed: the first may have been on its way.
    package static let beatsUntilGone = 2

    // MARK: Time

    /// How often each subscriber hears where the log ends.
    package static let heartbeatSpacing: Duration = .seconds(5)
    /// How often the gateway calls.
    package static let tickSpacing: Duration = .milliseconds(100)
    /// Heartbeats are spread over so many ticks.
    package static let heartbeatBuckets = 50
    /// After how long a silence the publisher is said to be away. It speaks twice a second.
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
