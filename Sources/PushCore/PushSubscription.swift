package import CacheAccess
package import CacheModel

/// What somebody who connects asks for.
package struct PushSubscription: Hashable, Sendable {
    /// 1 to ``PushLimits/interestsMax``.
    package let interests: [Interest]
    /// The last position that was heard; `nil` begins at the head.
    package let start: LogPosition?
    /// Of which cluster that is; none where it is not known.
    package let cluster: ClusterID
    /// Whose token it came with; `nil` where nobody is asked for one.
    package let holder: AccessEntry?
    /// When the token's time is over.
    package let end: Instant?

    /// - Throws: for no interest or too many, and for what may not be seen.
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

    /// What decides how much is shown; `nil` shows everything.
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
            // What happens to a tag is shown to who reads a part of its namespace as the beginning
            // of the keys that it reads, which names no tag.
            guard case .tag = interest, !entry.may(.read, with: interest.scope) else { continue }
            let sentence =
                "your token may read a part of the namespace only, where a tag is not shown: "
                + "subscribe to the prefix that it may read"
            throw PushRefusal(.unauthorised, sentence)
        }
    }
}
