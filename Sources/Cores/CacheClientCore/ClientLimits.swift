import CacheModel

/// All bounds of the client, side by side, so that their relations can be read and checked.
///
/// This module is the sans-I/O core of a client: where a key lives, which requests are open, when
/// to retry, which node is near. It owns no socket and no thread, reads no clock and uses no
/// randomness. ``MartletClient`` passes it events and the current time.
///
///     key ─▶ RouteHash ─▶ Topology ─▶ ShardAddress        where
///     message ─▶ InFlightTable ─▶ request id              open requests
///     BUSY, BEHIND, silence ─▶ RetrySchedule ─▶ when      whether to retry
///     proof ─▶ SessionPosition ─▶ AT LEAST                position that reads must reach
///     round trip ─▶ RoundTrips ─▶ node                    nearest node
///     no answer ─▶ TopologyHunt ─▶ endpoint to ask next
///     NOT LEADER, topologies ─▶ LeaderTracker ─▶ publisher that questions go to
///     one shard's silence ─▶ AnswerWatch ─▶ probe, fail at once
///     pages, receipts ─▶ PatternInvalidationCore ─▶ which keys to invalidate next
///     records, heartbeats ─▶ InvalidationFollower ─▶ events
///     the part that one key may read ─▶ PartFollower ─▶ events
///
/// The client's loop calls it on its own thread, and a pipelined connection on its caller's thread.
package enum ClientLimits {
    // MARK: Requests

    /// Most operations in one message when the client groups them by itself.
    package static let operationsPerMessageMax = 128
    /// Most keys in one call; a longer array travels in several messages.
    package static let operationsPerCallMax = 1 << 20
    /// Most bytes of operations in one message. The rest of the frame is for header and fields.
    package static let bodyBytesMax = (1 << 20) - 4_096
    /// Most messages sent and not answered yet.
    package static let messagesInFlightMax = 4_096
    /// Most operations accepted and not finished, whether sent or waiting.
    package static let operationsPendingMax = 1 << 20
    /// Most answers taken from one connection before the others get their turn.
    package static let repliesPerTurnMax = 1_024
    /// Most shards of a cluster that one client connects to.
    package static let connectionsMax = 250
    /// Most endpoints to ask for the topology, beside those that the client was given. Their
    /// connections are not part of ``connectionsMax``: a topology of shards that are down must not
    /// keep the client from asking for another one.
    package static let candidatesLearnedMax = 64
    /// Most messages of single gets in flight to one shard; further gets wait in messages of
    /// theirs.
    package static let getMessagesMax = 64
    /// With fewer in flight than this, a message that is not full is sent without waiting.
    package static let getMessagesAtOnce = 2
    /// Longest wait of a message that is not full.
    package static let getHoldMax: Duration = .milliseconds(1)
    /// Most messages being filled at a time for one shard: they differ in namespace, position
    /// asked for or topology.
    package static let getDraftsMax = 4
    /// A message's memory is reused unless it has grown beyond this.
    package static let getDraftBytesKept = 64 << 10
    /// Letters, gets or jobs that the loop's queues keep memory for; memory of longer bursts is
    /// freed.
    package static let itemsKept = 4_096
    /// Most jobs of tasks on the client's executor before it reads its sockets again.
    package static let jobsPerTurnMax = 1_024

    /// Most pages of one shard to examine for the hottest keys.
    package static let hottestPagesMax = 64

    // MARK: Invalidating by a pattern

    /// Attempts at one page or one record; the pause before the second, which doubles.
    package static let patternTriesMax = 3
    package static let patternPause: Duration = .milliseconds(500)
    /// Records in a second, while there are keys enough for more.
    package static let batchesPerSecond = 4
    /// Bytes of the scopes of one record; the rest is for its head and the fields of the message.
    package static let batchScopesBytesMax = InvalidationRecord.bytesMax - 1_024
    /// Matching keys to remember, and their bytes, so that each is invalidated once.
    package static let namedKeysMax = 1 << 20
    package static let namedBytesMax = 64 << 20

    // MARK: Time

    /// How long a repeatable request waits for its first answer before it is retried.
    package static let attemptTimeout: Duration = .seconds(1)
    /// The same for a prefetch: a load without a waiting caller.
    package static let prefetchAttemptTimeout: Duration = .seconds(10)
    /// Part of a wait that is reserved for the arrival of the answer.
    package static let wayBackMin: Duration = .milliseconds(250)
    /// First pause before an operation is retried; it doubles up to the longest pause.
    package static let backOffFirst: Duration = .milliseconds(2)
    package static let backOffMax: Duration = .milliseconds(250)
    /// How long a socket may accept no message before its shard counts as down.
    package static let unreachableAfter: Duration = .seconds(1)
    /// A shard that owes an answer and has sent nothing for this long gets a probe. Further
    /// requests wait until it has sent a frame. Nodes use the same rule for each other.
    package static let quietMax: Duration = .milliseconds(300)
    /// A shard is suspect once it has sent nothing for this long, not even the answer to the probe.
    /// This is longer than a busy machine delays a thread, half of the usual lease, and less than a
    /// third of the usual timeout: so time is left to ask another node.
    package static let silenceMax: Duration = .milliseconds(1_500)
    /// The same if the publisher has not heard the node for a lease either.
    package static let silenceOfAwayMax: Duration = .milliseconds(900)
    /// First and longest pause between two probes of a suspect shard; each is twice the one before.
    package static let probePause: Duration = .milliseconds(250)
    package static let probePauseMax: Duration = .seconds(2)
    /// A check that is later than this means that the client did not run: that time does not count.
    package static let ownAbsenceMin: Duration = .milliseconds(250)
    /// Greatest age of a value that another node has loaded in place of a key's owner.
    package static let elsewhereAgeMax: Duration = .seconds(1)
    /// How long requests wait for a node without a known endpoint. After a restart of the
    /// publisher, running nodes report their endpoints with their next PING, of which a lease has
    /// three.
    package static let placeWaitMax: Duration = .seconds(3)
    /// How long one endpoint may take to return the topology before the next one is asked.
    package static let topologyAttemptTimeout: Duration = .milliseconds(400)
    /// Shortest time between two rounds of asking for the topology; it doubles while none succeeds.
    package static let topologyPause: Duration = .milliseconds(250)
    package static let topologyPauseMax: Duration = .seconds(2)
    /// Longest wait of a pipelined connection between two steps towards a new topology.
    package static let followingTurn: Duration = .milliseconds(2)
    /// Age of a topology from which the next answer makes the client ask for it again.
    package static let topologyAgeMax: Duration = .seconds(10)
    /// Shortest time between two questions for the publisher's head, asked when a node's claim is
    /// in doubt.
    package static let headPause: Duration = .seconds(1)
    /// Time for a receipt to travel, beyond the time that the publisher waits.
    package static let receiptGrace: Duration = .milliseconds(500)
    /// First and longest wait for another caller's load before the key is looked up again; each
    /// wait is twice the one before.
    package static let loadPauseMin: Duration = .milliseconds(1)
    package static let loadPauseMax: Duration = .milliseconds(200)

    /// Taken load leases to remember.
    package static let loadRightsMax = 4_096
    /// How long the client tries to give a load lease back, and how long it still waits for an
    /// answer with a lease after the caller has gone on. A lease that is not given back expires.
    package static let lateRightMax: Duration = .seconds(5)
    /// Most such answers to wait for.
    package static let lateAnswersMax = messagesInFlightMax / 4

    // MARK: Several publishers

    /// How long the leading publisher may be silent while it owes an answer, if the client knows of
    /// others, before the client looks for another leader. It gets a probe after ``quietMax``. A
    /// wrong suspicion costs a few messages, so this is shorter than ``silenceMax``.
    package static let publisherSilenceMax: Duration = .milliseconds(600)
    /// The same for a socket that accepts no message.
    package static let publisherBlockedMax: Duration = .milliseconds(500)
    /// How long one endpoint may take to answer while the client looks for the leader.
    package static let leaderAttemptTimeout: Duration = .milliseconds(250)
    /// Least time from the begin of one round of asking for the leader to the next one: in the
    /// first ``leaderHasteMax`` of a search, in which a publisher that hands over is replaced, and
    /// later.
    package static let leaderPauseMin: Duration = .milliseconds(50)
    package static let leaderPauseMax: Duration = .milliseconds(250)
    package static let leaderHasteMax: Duration = .seconds(1)
    /// Publishers that NOT LEADER names in a row, each the next one, before the client searches
    /// instead; and most of them to ask in one round of a search.
    package static let leadersNamedMax = 8
    /// Publishers to remember.
    package static let publishersKnownMax = 16
    /// How long the channels of a publisher that is one of several may be silent before a follower
    /// of the log asks for a sign of life: three heartbeats.
    package static let followSilenceMax: Duration = .milliseconds(1_500)
    /// Least time between two reports of a follower that its publisher does not lead or is silent.
    /// A report keeps the search for the leader going for twice as long.
    package static let leaderReportPause: Duration = .seconds(1)
    /// How long a publisher may be behind a follower of the same epoch. One that leads without
    /// knowing of its successor is behind for a moment; one that stays behind is believed.
    package static let lagMax: Duration = .seconds(10)

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

    /// Events buffered for a reader of the invalidation stream; further ones are replayed later.
    package static let eventsHeldMax = 4_096
    /// Records asked for at a time.
    package static let replayRecordsMax = 1_024
    /// How long the publisher may hold the request of a client that reads a part of the log. So the
    /// client learns the head at least this often.
    package static let followHold: Duration = .seconds(1)
    /// Shortest time between two heartbeats for such a client while there are records.
    package static let beatSpacing: Duration = .milliseconds(500)
    /// Pause before the reader's buffer is checked for capacity again.
    package static let roomPause: Duration = .milliseconds(50)
    /// How long the live channel may be silent before a client with a key asks for the reason.
    package static let liveSilenceMax: Duration = .seconds(2)
    /// Unanswered questions in a row before a handshake tests whether the key is admitted.
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
            quietMax < publisherSilenceMax && publisherSilenceMax < attemptTimeout,
            "a probe has time to be answered, and a silent publisher is left before a repetition")
        precondition(leaderPauseMin <= leaderPauseMax, "a search becomes slower, not faster")
        precondition(
            placeWaitMax >= topologyPause + topologyAttemptTimeout,
            "a request without an address asks for it at least once more")
        precondition(candidatesLearnedMax >= 2, "the publisher and an answering node are learned")
        precondition(roundTripSamples % 2 == 1, "an odd number of samples has a median")
        precondition(
            CacheKey.bytesMax + Namespace.bytesMax + 8 <= batchScopesBytesMax,
            "the longest key fits a record")
        precondition(
            replayRecordsMax <= eventsHeldMax, "a whole replay fits what is held for a reader")
    }
}
