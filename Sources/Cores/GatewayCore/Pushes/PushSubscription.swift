package import CacheAccess
package import CacheModel

/// The request of a client that connects.
package struct PushSubscription: Hashable, Sendable {
    /// 1 to ``PushLimits/interestsMax``.
    package let interests: [Interest]
    /// The last position that the client received; `nil` begins at the head.
    package let start: LogPosition?
    /// The cluster of that position; none where it is not known.
    package let cluster: ClusterID
    /// The entry of the client's token; `nil` where no token is required.
    package let holder: AccessEntry?
    /// When the token expires.
    package let end: Instant?

    /// - Throws: for no interest or too many, and for interests that the token may not read.
    package init(
        _ interests: [Interest], after start: LogPosition?, of cluster: ClusterID = .none,
        for entry: AccessEntry?, until end: Instant? = nil
    ) throws(PushRefusal) {
        guard !interests.isEmpty else {
            throw PushRefusal(
                .badRequest, "say what to subscribe to: all, namespace, key, prefix or tag")
        }
        guard interests.count <= PushLimits.interestsMax else {
            let sentence =
                "\(interests.count) things asked for, at most \(PushLimits.interestsMax): "
                + "take a shorter prefix, or a second connection"
            throw PushRefusal(.badRequest, sentence)
        }
        if let entry { try Self.check(interests, for: entry) }
        self.interests = interests
        self.start = start
        self.cluster = cluster
        holder = entry
        self.end = end
    }

    /// The entry that limits the view; `nil` shows everything.
    var entry: AccessEntry? { holder?.mayFollowLog == true ? nil : holder }

    private static func check(
        _ interests: [Interest], for entry: AccessEntry
    ) throws(PushRefusal) {
        guard entry.mayWatch else {
            throw PushRefusal(.unauthorised, "your token may not read anything")
        }
        for interest in interests {
            let scope = Scope(interest)
            guard entry.sees(scope) else {
                throw PushRefusal(.unauthorised, "your token may not read \(scope)")
            }
            // A token for a part of a namespace is shown a tag's invalidation as the beginning of
            // the keys that it reads, which names no tag.
            guard case .tag = interest, !entry.may(.read, with: scope) else { continue }
            let sentence =
                "your token may read a part of the namespace only, where a tag is not shown: "
                + "subscribe to the prefix that it may read"
            throw PushRefusal(.unauthorised, sentence)
        }
    }
}

/// Why a client gets no subscription, in a sentence that says what to do.
package struct PushRefusal: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The request cannot be understood, or asks for too much.
        case badRequest = "bad-request"
        /// The token may not read what is asked for.
        case unauthorised
        /// This gateway has its maximum of subscribers.
        case full
        /// The gateway is about to stop.
        case stopping
    }

    package let code: Code
    package let sentence: String

    package init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }
}

/// The state of one subscriber.
struct PushSubscriber: Sendable {
    enum Stage: Hashable, Sendable {
        /// The publisher was not heard of yet.
        case waiting
        /// It has received more than this gateway has: records up to its position are skipped. So
        /// many heartbeats have reported a head before that position.
        case ahead(beats: Int)
        /// It is sent the records that it missed.
        case replaying
        /// It is sent each new record.
        case live
    }

    let id: SubscriberID
    let interests: [Interest]
    let view: Int
    /// The entry of its token; `nil` where no token is required.
    let holder: AccessEntry?
    /// When its token expires.
    let end: Instant?
    /// The cluster of the position that it came with; none where that is not known, or no longer
    /// matters.
    var cluster: ClusterID
    var stage = Stage.waiting
    /// The position up to which it has been sent everything. A live subscriber is at the end of the
    /// ring instead; `nil` while it waits to begin at the head.
    var place: LogPosition?
    /// Bytes that were sent and not yet taken by the reader's connection.
    var pendingBytes = 0
    /// When bytes were last taken, or none were waiting.
    var takenAt: Instant
    /// Whether it is in the queue of replays.
    var isQueued = false
}

/// One subscriber, for as long as it is there: a place that is used again, and a number that is
/// not.
package struct SubscriberID: Hashable, Sendable {
    package let slot: Int
    package let serial: UInt64
}
