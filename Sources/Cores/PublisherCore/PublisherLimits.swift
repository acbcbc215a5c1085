import CacheInvalidation
import CacheModel
import CacheWire

/// Bounds of the publisher's core.
package enum PublisherLimits {
    /// Invalidations waiting for the next append, in bytes of their messages.
    package static let queuedBytesMax = 16 << 20
    /// Operations that are remembered because they may be in the log. With so many all count as
    /// such.
    package static let doubtfulMax = 65_536
    /// Longest frame of the live channel. A subscriber that does not read costs a queue of them.
    package static let broadcastBytesMax = 128 << 10
    /// Longest REPLAY. A peer that does not read costs a queue of them.
    package static let replayBytesMax = 512 << 10
    /// Replays of one turn, in bytes; the last may exceed it. The rest waits for the next turn,
    /// after other input.
    package static let replayTurnBytesMax = 2 << 20
    /// Nodes that may wait for a replay, and the same number of other clients. A node that finds no
    /// space asks again with the next heartbeat.
    package static let replaysWaitingMax = 4_096
    /// FOLLOW requests that may wait, in total and with one key. Each takes some 300 bytes, plus a
    /// name and an address with an audit log.
    package static let followsWaitingMax = 4_096
    package static let followsPerKeyMax = 256
    /// Longest wait of a FOLLOW request for a visible record.
    package static let followHoldMax: Duration = .seconds(60)
    /// Bytes of records in one answer to FOLLOW.
    package static let followBytesMax = 256 << 10
    /// The work of one turn for all FOLLOW requests: comparisons of names, records read, bytes
    /// sent. The last read and the last answer may exceed it.
    package static let followTurnWorkMax = 65_536
    package static let followTurnRecordsMax = 4_096
    package static let followTurnBytesMax = 2 << 20
    /// Number of records read at once.
    package static let followReadRecordsMax = 1_024
    /// Minimum time between two heartbeats that are caused by subscriptions and broadcasts.
    package static let heartbeatSpacing: Duration = .milliseconds(20)
    /// The retry-after of BUSY.
    package static let retryAfterMilliseconds: UInt32 = 100
    /// Peers with messages that wait for a confirmation.
    package static let unconfirmedPeersMax = 2 * WireLimits.nodesMax
    /// HELLOs to be answered once the log has its position.
    package static let welcomesMax = 4_096

    /// Epochs that nodes' reports may open at once, and the spacing of further ones. A sender
    /// outside of the access list that forges a stream costs one epoch with each forgery; these are
    /// enough for some minutes of that.
    package static let epochsAtOnceMax = 256
    package static let epochSpacing: Duration = .seconds(60)

    /// How long a run that never said BYE stays known after its last grant or message: long enough
    /// for an operator to see it in STATUS.
    package static let silenceMax: Duration = .seconds(600)

    /// Number of newest records whose issuer and append time are remembered.
    package static let recentRecordsMax = 4_096

    /// Scopes waiting for their echo.
    package static let echoesMax = 65_536
    /// Echoes queued by one turn, and scopes per record: the longest names fit.
    package static let echoesPerTurnMax = 4_096
    package static let echoScopesPerRecord = 12
    /// Delay before an echo that the log refused is retried.
    package static let echoRetry: Duration = .seconds(1)

    /// Pacings: running at once, and ended ones that are still reported.
    package static let pacingsMax = 8
    package static let pacingsRememberedMax = 16
    /// Greatest id of a pacing: after it counting could not continue.
    package static let pacingNumberMax: UInt64 = 1 << 62
    /// Bytes of one pacing's scopes: the scopes of all pacings fit a report, and each slice a
    /// record.
    package static let paceScopeBytesMax = 16 << 10
    /// Minimum and maximum span of a pacing.
    package static let paceSpanMin: Duration = .seconds(1)
    package static let paceSpanMax: Duration = .seconds(7 * 24 * 3_600)
    /// Minimum time between two slices, and maximum number of slices.
    package static let paceSliceSpacing: Duration = .milliseconds(100)
    package static let paceSlicesMax: UInt32 = 1_024
    /// Delay before a slice that the log refused is retried.
    package static let paceRetry: Duration = .seconds(1)
    /// Minimum time between two writes of the pacings' progress.
    package static let paceNoteSpacing: Duration = .seconds(1)
    /// Orders that may wait to be stored.
    package static let paceAskersMax = 64

    /// Nodes with recorded runs, and runs of each node that are remembered.
    package static let livesNodesMax = WireLimits.nodesMax
    package static let livesPerNodeMax = 16
    /// Delay before a failed write of the runs is retried.
    package static let livesRetry: Duration = .seconds(1)

    /// How far the log may be ahead of the stored table of slots: a start reads the records
    /// between.
    package static let slotsBytesBehindMax = 16 << 20
    package static let slotsRecordsBehindMax: UInt64 = 65_536

    /// The weights that a node can join by, in thousandths: those of listed ones.
    package static let joinWeight: ClosedRange<UInt32> = 1...1_000_000_000

    /// How often the publisher decides which nodes share the slots.
    package static let failoverLookSpacing: Duration = .milliseconds(500)
    /// Longest time for which the first owners of slots wait for nodes that are not there. Until
    /// then no key is answered.
    package static let firstOwnersAfterMax: Duration = .seconds(10)
    /// For how long a node that lost its slots counts for the majority that a failover needs.
    package static let failoverVoice: Duration = .seconds(600)
    /// Within what time another failover of a node doubles its hold-down.
    package static let failoverMemory: Duration = .seconds(3_600)
    /// Longest time that a node has to be live before it gets slots again, if `failover-after` is
    /// not longer, and how often that is doubled at most.
    package static let holdDownMax: Duration = .seconds(600)
    package static let holdDownDoublingsMax = 16

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(
            InvalidationRecord.bytesMax + 1_024 <= broadcastBytesMax,
            "the largest record fits a broadcast")
        precondition(
            InvalidationRecord.bytesMax + 1_024 <= replayBytesMax,
            "the largest record fits a replay")
        precondition(
            broadcastBytesMax <= WireLimits.frameBytesMax
                && replayBytesMax <= WireLimits.frameBytesMax, "what is sent fits a frame")
        precondition(
            followBytesMax + 2 * InvalidationRecord.bytesMax
                + InvalidationRecord.scopesMax * (Namespace.bytesMax + 64)
                <= WireLimits.frameBytesMax, "an answer fits a frame, also with one record beyond")
        precondition(
            InvalidationLimits.floorPartEntriesMax * 10
                + InvalidationLimits.floorNamespacesMax * (9 + Namespace.bytesMax)
                + InvalidationLimits.floorPrefixesMax
                * (12 + Namespace.bytesMax + InvalidationLimits.floorPrefixBytesMax) + 1_024
                <= WireLimits.frameBytesMax,
            "a part of the floors fits a frame")
        precondition(
            echoScopesPerRecord * (CacheKey.bytesMax + Namespace.bytesMax + 32)
                < InvalidationRecord.bytesMax, "an echo's record can be encoded")
        precondition(
            (pacingsMax + pacingsRememberedMax) * (paceScopeBytesMax + 64)
                <= WireLimits.frameBytesMax, "all pacings fit a report")
        precondition(
            paceScopeBytesMax + WireLimits.pacedScopesMax * 16 + 1_024
                <= InvalidationRecord.bytesMax, "a slice's record can be encoded")
        precondition(
            livesPerNodeMax > InvalidationLimits.runsPerNodeMax
                && livesPerNodeMax <= Int(UInt8.max),
            "every run with a grant is known again, and their number fits a byte")
        precondition(
            welcomesMax >= WireLimits.nodesMax && replaysWaitingMax >= WireLimits.nodesMax,
            "every node may introduce itself, and ask for a replay, at once")
    }
}
