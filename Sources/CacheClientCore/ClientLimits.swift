import CacheModel

/// Every bound of the client, side by side, so that their relations can be read and checked.
///
/// This module is a client's mind without its hands: where a key lives, which request is open,
/// when to ask again, which node is near. It owns no socket and no thread, reads no clock and
/// draws no dice; ``MartletClient`` tells it what happened and what time it is.
///
///     key ─▶ RouteHash ─▶ Topology ─▶ ShardAddress        where
///     message ─▶ InFlightTable ─▶ request id              what is open
///     BUSY, BEHIND, silence ─▶ RetrySchedule ─▶ when      whether to ask again
///     proof ─▶ SessionPosition ─▶ AT LEAST                what must not be forgotten
///     round trip ─▶ RoundTrips ─▶ node                    who is near
///     nobody answers ─▶ TopologyHunt ─▶ whom to ask next
///     one shard's silence ─▶ AnswerWatch ─▶ probe, fail at once
///     records, heartbeats ─▶ InvalidationFollower ─▶ events
///     what one key may see ─▶ PartFollower ─▶ events
///
/// Called by the client's loop on its own thread, and by the pipelined face on its caller's.
package enum ClientLimits {
    // MARK: Requests

    /// Most operations that one message carries when the client groups them by itself.
    package static let operationsPerMessageMax = 128
    /// Most keys in one call; a longer array travels in several messages.
    package static let operationsPerCallMax = 1 << 20
    /// Most bytes of operations in one message. The rest of the frame is for header and fields.
    package static let bodyBytesMax = (1 << 20) - 4_096
    /// Most messages sent and not answered yet.
    package static let messagesInFlightMax = 4_096
    /// Most operations accepted and not finished yet, whether sent or waiting to be.
    package static let operationsPendingMax = 1 << 20
    /// Most answers taken from one connection before the others get their turn.
    package static let repliesPerTurnMax = 1_024
    /// Most shards of a cluster that one client talks to.
    package static let connectionsMax = 250
    /// Most endpoints that are asked for the topology beside those that the client was given. Their
    /// connections come on top of ``connectionsMax``: a topology of shards that are not there must
    /// not keep the client from asking for another.
    package static let candidatesLearnedMax = 64
    /// Most messages of single gets on their way to one shard; further gets wait in theirs.
    package static let getMessagesMax = 64
    /// So many of them may be on their way before one that is not full waits for an answer.
    package static let getMessagesAtOnce = 2
    /// For how long such a message waits at most.
    package static let getHoldMax: Duration = .milliseconds(1)
    /// Most messages being filled at a time for one shard: they differ in namespace, position
    /// asked for or topology.
    package static let getDraftsMax = 4
    /// A message's memory is used again unless it has grown beyond this.
    package static let getDraftBytesKept = 64 << 10
    /// Letters, gets or jobs for which the loop's queues keep memory; a longer burst's goes.
    package static let itemsKept = 4_096
    /// Jobs of tasks that run on the client's executor before it looks at its sockets again.
    package static let jobsPerTurnMax = 1_024

    /// Most parts of one shard that are looked through for the hottest keys.
    package static let hottestPagesMax = 64

    // MARK: Time

    /// How long a repeatable request waits for its first answer before it is asked again.
    package static let attemptTimeout: Duration = .seconds(1)
    /// The same where a value is loaded that nobody waits for.
    package static let prefetchAttemptTimeout: Duration = .seconds(10)
    /// Left for an answer to arrive, of the time that it is waited for.
    package static let wayBackMin: Duration = .milliseconds(250)
    /// First pause before an operation is asked again; it doubles until the longest is reached.
    package static let backOffFirst: Duration = .milliseconds(2)
    package static let backOffMax: Duration = .milliseconds(250)
    /// How long a shard may be unable to take a message before it counts as down.
    package static let unreachableAfter: Duration = .seconds(1)
    /// A shard that owes an answer and has said nothing for this long is sent a probe, and further
    /// requests wait until it has said something. As nodes do with each other.
    package static let quietMax: Duration = .milliseconds(300)
    /// It is suspect once it has said nothing for this long, the probe included. Longer than a
    /// machine that is merely busy keeps a thread waiting, half of the usual lease, and less than a
    /// third of the usual timeout, so that there is time left to go elsewhere.
    package static let silenceMax: Duration = .milliseconds(1_500)
    /// The same where the publisher has not heard the node for a lease either.
    package static let silenceOfAwayMax: Duration = .milliseconds(900)
    /// First and longest pause between two probes of a suspect shard; each is twice the one before.
    package static let probePause: Duration = .milliseconds(250)
    package static let probePauseMax: Duration = .seconds(2)
    /// A check that is later than this means that the client did not run: that time does not count.
    package static let ownAbsenceMin: Duration = .milliseconds(250)
    /// Greatest age of a value that another node has loaded in place of a key's owner.
    package static let elsewhereAgeMax: Duration = .seconds(1)
    /// How long a node is waited for whose place nobody knows: those that are there say it to a
    /// publisher that has started anew with their next PING, of which a lease has three.
    package static let placeWaitMax: Duration = .seconds(3)
    /// How long one endpoint may take to tell the topology before the next one is asked.
    package static let topologyAttemptTimeout: Duration = .milliseconds(400)
    /// Shortest time between two questions for the topology; it doubles while nobody answers.
    package static let topologyPause: Duration = .milliseconds(250)
    package static let topologyPauseMax: Duration = .seconds(2)
    /// How old a topology may be that answers are still taken by without asking for it again.
    package static let topologyAgeMax: Duration = .seconds(10)
    /// Shortest time between two questions where the publisher's head is, asked when a node's word
    /// is in doubt.
    package static let headPause: Duration = .seconds(1)
    /// What a receipt may need on its way beyond the time that was to be waited for it.
    package static let receiptGrace: Duration = .milliseconds(500)
    /// First and longest wait for somebody else's load before the key is asked for again; each is
    /// twice the one before.
    package static let loadPauseMin: Duration = .milliseconds(1)
    package static let loadPauseMax: Duration = .milliseconds(200)

    /// Load leases that are known to have been taken up.
    package static let loadRightsMax = 4_096
    /// How long it is tried to give a load lease back, and how long an answer that may bring one
    /// is still looked for after its caller has gone on. A lease that is not given back runs out.
    package static let lateRightMax: Duration = .seconds(5)
    /// Most such answers that are looked for.
    package static let lateAnswersMax = messagesInFlightMax / 4

    // MARK: Large values

    /// Parts of a large value that are fetched at a time.
    package static let partsInFlightMax = 8
    /// How often a large value may change under a reader before the read is given up.
    package static let restartsMax = 8

    // MARK: Nearness

    /// Round trips remembered for each node; the median of them is its distance.
    package static let roundTripSamples = 15
    /// One choice in so many goes to the next node in turn, so that distances stay current.
    package static let roundTripProbeInterval = 64

    /// Longest look for answers before sleeping.
    package static let spinMax = Duration.milliseconds(10)

    // MARK: Following the log

    /// Events held for a reader of the invalidation stream; what does not fit is replayed later.
    package static let eventsHeldMax = 4_096
    /// Records asked for at a time.
    package static let replayRecordsMax = 1_024
    /// How long the publisher may hold a question of one who sees a part, and so how seldom that
    /// one hears where the log ends.
    package static let followHold: Duration = .seconds(1)
    /// Least time between two such words while there are records.
    package static let beatSpacing: Duration = .milliseconds(500)
    /// Until it is looked again whether the reader has room.
    package static let roomPause: Duration = .milliseconds(50)
    /// How long the live channel may be silent before somebody with a key asks why.
    package static let liveSilenceMax: Duration = .seconds(2)
    /// Questions in a row that are not answered before it is tried whether the key is let in.
    package static let silencesMax = 2

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(
            operationsPerMessageMax <= 1_024, "a message carries at most 1024 operations")
        precondition(
            getMessagesAtOnce >= 1 && getMessagesAtOnce <= getMessagesMax,
            "what is answered alone is never held")
        precondition(
            operationsPerMessageMax * (CacheKey.bytesMax + 4) <= bodyBytesMax,
            "a message of gets is full by their number before it is by their bytes")
        precondition(bodyBytesMax > 512 << 10, "the largest single operation fits a message")
        precondition(backOffFirst <= backOffMax, "the first pause is the shortest")
        precondition(topologyPause <= topologyPauseMax, "the first pause is the shortest")
        precondition(
            quietMax < silenceOfAwayMax && silenceOfAwayMax < silenceMax,
            "a probe has time to be answered before its shard is suspect")
        precondition(probePause <= probePauseMax, "the first pause is the shortest")
        precondition(
            placeWaitMax >= topologyPause + topologyAttemptTimeout,
            "who waits for a place asks for it at least once more")
        precondition(candidatesLearnedMax >= 2, "the publisher and who answered are learned")
        precondition(roundTripSamples % 2 == 1, "an odd number of samples has a median")
        precondition(
            replayRecordsMax <= eventsHeldMax, "a whole replay fits what is held for a reader")
    }
}
