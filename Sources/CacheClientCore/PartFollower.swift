package import CacheModel
package import CacheWire

/// Follows what one key may see of the log, question by question. docs/decisions/0058.
///
/// Pure: it is told what was answered, what time it is and how much room there is.
///
///     question ──▶ held by the publisher ──▶ records, or nothing up to a place ──▶ next question
///        └──silence, BUSY──▶ again, from the same place
package struct PartFollower: Sendable {
    package enum Action: Hashable, Sendable {
        case deliver(InvalidationRecord)
        /// What lies between can no longer be had.
        case lost(after: LogPosition, continuingAfter: LogPosition)
        case heartbeat(head: LogPosition)
        /// The key may not follow any more, or the publisher cannot be asked: why.
        case end(ErrorReply)
    }

    /// A question to be sent.
    package struct Question: Hashable, Sendable {
        package let request: FollowRequest
        package let requestID: UInt64
    }

    private struct Asked: Hashable {
        let requestID: UInt64
        /// When it has waited long enough.
        let end: Instant
    }

    /// Up to where all was handed out; sealed. `nil` for who begins at the head.
    private var place: LogMark?
    /// Whether that place is of another cluster: all that came since is lost.
    private var isVoid: Bool
    private var asked: Asked?
    private var requestCount: UInt64 = 0
    /// The next question is not asked before.
    private var askAt: Instant
    private var beatenAt: Instant?
    private var silenceCount = 0

    /// - Parameters:
    ///   - start: a place that the publisher told, or a position with a digest of 0; `nil` begins
    ///     at the head.
    ///   - isVoid: whether that place is of another cluster; then it begins at the head, too, and
    ///     says first that all in between is lost.
    package init(after start: LogMark?, isVoid: Bool = false, now: Instant) {
        self.isVoid = isVoid && start != nil
        place = start
        askAt = now
    }

    /// When ``question(room:now:)`` is to be asked again, unless something is answered before.
    package var nextLook: Instant { asked?.end ?? askAt }

    /// Whether several questions in a row were not answered.
    package var isLongSilent: Bool { silenceCount >= ClientLimits.silencesMax }

    /// The silence was looked into.
    package mutating func startsAnew() { silenceCount = 0 }

    /// The next question; `nil` while one is out, or where there is no room for its answer.
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
        let patience = ClientLimits.followHold + ClientLimits.attemptTimeout
        asked = Asked(requestID: requestCount, end: now.advanced(by: patience))
        var request = FollowRequest(
            after: isVoid ? .none : place ?? .none,
            limit: min(room - 1, ClientLimits.replayRecordsMax),
            holdMilliseconds: UInt32(ClientLimits.followHold.wholeMilliseconds))
        request.isFromHead = place == nil || isVoid
        return Question(request: request, requestID: requestCount)
    }

    /// An answer came. One to a question that was given up is passed over: it was asked again.
    package mutating func answered(
        _ answer: Followed, to requestID: UInt64, now: Instant
    ) -> [Action] {
        guard asked?.requestID == requestID else { return [] }
        asked = nil
        silenceCount = 0
        askAt = now
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

    /// A question was refused.
    package mutating func refused(
        _ error: ErrorReply, to requestID: UInt64, now: Instant
    ) -> [Action] {
        // Also where the question was given up: those to come name no cluster any more.
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
