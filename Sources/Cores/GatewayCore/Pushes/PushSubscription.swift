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
            guard entry.sees(interest.scope) else {
                throw PushRefusal(.unauthorised, "your token may not read \(interest.scope)")
            }
            // A token for a part of a namespace is shown a tag's invalidation as the beginning of
            // the keys that it reads, which names no tag.
            guard case .tag = interest, !entry.may(.read, with: interest.scope) else { continue }
            let sentence =
                "your token may read a part of the namespace only, where a tag is not shown: "
                + "subscribe to the prefix that it may read"
            throw PushRefusal(.unauthorised, sentence)
        }
    }
}
