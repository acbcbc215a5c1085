package import CacheModel
package import CacheWire

/// Follows the part of the log that one key may read, one question after the other.
/// docs/decisions/0058.
///
/// Sans-I/O: the caller passes the answers, the time and the capacity of the reader's buffer.
///
///     question ──▶ held by the publisher ──▶ records, or nothing up to a place ──▶ next question
///        └──silence, BUSY──▶ again, from the same place
package struct PartFollower: Sendable {
    package enum Action: Hashable, Sendable {
        case deliver(InvalidationRecord)
        /// The records between these positions are lost.
        case lost(after: LogPosition, continuingAfter: LogPosition)
        case heartbeat(head: LogPosition)
        /// The publisher is behind: another one leads.
        case behind
        /// The key may no longer follow, or the publisher does not support the question; the
        /// reason.
        case end(ErrorReply)
    }

    package struct Question: Hashable, Sendable {
        package let request: FollowRequest
        package let requestID: UInt64
    }

    /// The position up to which all records were delivered; sealed. `nil` if it begins at the head.
    private var place: LogMark?
    /// Whether that position is of another cluster: all records since then are lost.
    private var isVoid: Bool
    /// The request in flight, and when it times out.
    private var asked: (requestID: UInt64, end: Instant)?
    private var requestCount: UInt64 = 0
    private var askAt: Instant
    private var beatenAt: Instant?
    private var silenceCount = 0
    /// Whether the publisher is one of several: docs/protocol.md 8.6. Then an answer is overdue
    /// sooner, and one that is behind the follower is ignored for a while.
    package var isOneOfSeveral = false
    private var lag = LagPatience()

    /// - Parameters:
    ///   - start: a position that the publisher returned, or one with a digest of 0; `nil` begins
    ///     at the head.
    ///   - isVoid: whether that position is of another cluster. Then it also begins at the head,
    ///     and first reports everything in between as lost.
    package init(after start: LogMark?, isVoid: Bool = false, now: Instant) {
        self.isVoid = isVoid && start != nil
        place = start
        askAt = now
    }

    /// When to call ``question(room:now:)`` again, unless an answer arrives before.
    package var nextLook: Instant { asked?.end ?? askAt }

    /// Whether the last request got no answer.
    package var isSilent: Bool { silenceCount > 0 }

    /// Whether several requests in a row got no answer.
    package var isLongSilent: Bool { silenceCount >= ClientLimits.silencesMax }

    /// A handshake has examined the silence.
    package mutating func startsAnew() { silenceCount = 0 }

    /// The next request; `nil` while one is in flight, or while the reader has no capacity.
    ///
    /// - Parameter room: how many more events the reader takes now.
    package mutating func question(room: Int, now: Instant) -> Question? {
        if let asked, now < asked.end { return nil }
        if asked != nil { silenceCount += 1 }
        asked = nil
        guard now >= askAt else { return nil }
        // Of an answer with records, the last event may be a heartbeat.
        guard room > 1 else {
            askAt = now.advanced(by: ClientLimits.roomPause)
            return nil
        }
        requestCount += 1
        let patience =
            ClientLimits.followHold
            + (isOneOfSeveral ? ClientLimits.publisherSilenceMax : ClientLimits.attemptTimeout)
        asked = (requestCount, now.advanced(by: patience))
        var request = FollowRequest(
            after: isVoid ? .none : place ?? .none,
            limit: min(room - 1, ClientLimits.replayRecordsMax),
            holdMilliseconds: UInt32(ClientLimits.followHold.wholeMilliseconds))
        request.isFromHead = place == nil || isVoid
        return Question(request: request, requestID: requestCount)
    }

    /// An answer arrived. The answer to a request that was given up is ignored: it was repeated.
    package mutating func answered(
        _ answer: Followed, to requestID: UInt64, now: Instant
    ) -> [Action] {
        guard asked?.requestID == requestID else { return [] }
        asked = nil
        silenceCount = 0
        askAt = now
        if isOneOfSeveral, lag.ignores(isBehind: isAhead(of: answer), at: now) {
            askAt = now.advanced(by: ClientLimits.leaderPauseMax)
            return [.behind]
        }
        let start = place?.position ?? .none
        place = answer.through
        let wasVoid = isVoid
        isVoid = false
        if answer.isLost || wasVoid {
            return [.lost(after: start, continuingAfter: answer.through.position)]
        }
        var actions = answer.records.map(Action.deliver)
        let isDue = beatenAt.map { now.elapsed(since: $0) >= ClientLimits.beatSpacing } ?? true
        if answer.records.isEmpty || isDue {
            beatenAt = now
            actions.append(.heartbeat(head: answer.head))
        }
        return actions
    }

    private func isAhead(of answer: Followed) -> Bool {
        guard let place, !isVoid else { return false }
        return place.position.epoch == answer.head.epoch && place.position > answer.head
    }

    /// Another publisher is asked from now on, from the same position.
    package mutating func moves(now: Instant) {
        asked = nil
        silenceCount = 0
        askAt = now
    }

    /// The publisher does not lead: it is asked again after a pause, or another one before.
    package mutating func denied(_ requestID: UInt64, now: Instant) {
        guard asked?.requestID == requestID else { return }
        asked = nil
        silenceCount = 0
        askAt = now.advanced(by: ClientLimits.leaderPauseMax)
    }

    package mutating func refused(
        _ error: ErrorReply, to requestID: UInt64, now: Instant
    ) -> [Action] {
        // Also after the request was given up: later ones name no cluster.
        if error.knownCode == .wrongCluster { isVoid = place != nil }
        guard asked?.requestID == requestID else { return [] }
        asked = nil
        silenceCount = 0
        switch error.knownCode {
        case .unauthorised, .unsupported, .unknownType: return [.end(error)]
        default:
            let pause = error.retryAfterMilliseconds.map { Duration.milliseconds(Int64($0)) }
            askAt = now.advanced(by: pause ?? ClientLimits.backOffMax)
            return []
        }
    }
}
