package import CacheModel

/// A message to subscribers: JSON text, encoded once for all that get the same.
package struct PushMessage: Hashable, Sendable {
    /// The words travel, as `type` and as the name of a server-sent event.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The subscription is accepted.
        case hello
        /// Something is invalidated.
        case record
        /// Records between the requested position and here are no longer available.
        case gone
        /// Everything up to here was sent.
        case heartbeat
        /// The gateway ends the subscription.
        case end
    }

    package let kind: Kind
    /// The position up to which its reader has been sent everything; `nil` where that is not known.
    package let position: LogPosition?
    /// One JSON object, on one line.
    package let text: [UInt8]

    /// Its size in a reader's queue.
    package var bytes: Int { text.count }
}

/// The text of each kind. docs/pushes.md describes the members.
extension PushMessage {
    /// - Parameters:
    ///   - position: after which it begins; `nil` where that is not known yet.
    ///   - head: where the log ends; `nil` where the publisher was not heard of yet.
    ///   - cluster: of which the log is; none where that is not known.
    static func hello(
        position: LogPosition?, head: LogPosition?, cluster: ClusterID
    ) -> PushMessage {
        var text = JSONText(.hello)
        text.append("position", position)
        text.append("head", head)
        if cluster != .none { text.append("cluster", word: cluster.description) }
        text.append("heartbeat_ms", number: PushLimits.heartbeatSpacing.wholeMilliseconds)
        return PushMessage(kind: .hello, position: position, text: text.finished())
    }

    /// - Parameter scopes: those of the record that concern the reader, in words it may see.
    static func record(_ record: InvalidationRecord, scopes: some Collection<Scope>) -> PushMessage
    {
        var text = JSONText(.record)
        text.append("position", record.position)
        text.append("strength", word: record.strength == .hard ? "hard" : "soft")
        text.append("scopes", scopes: scopes)
        return PushMessage(kind: .record, position: record.position, text: text.finished())
    }

    static func gone(after: LogPosition, position: LogPosition) -> PushMessage {
        var text = JSONText(.gone)
        text.append("after", after)
        text.append("position", position)
        return PushMessage(kind: .gone, position: position, text: text.finished())
    }

    /// - Parameter silence: since the publisher was heard; `nil` where it never was.
    static func heartbeat(
        position: LogPosition?, head: LogPosition?, silence: Duration?
    ) -> PushMessage {
        var text = JSONText(.heartbeat)
        text.append("position", position)
        text.append("head", head)
        if let silence {
            text.append("silent_ms", number: silence.wholeMilliseconds)
        } else {
            text.append("silent_ms", word: nil)
        }
        let isAway = silence.map { $0 >= PushLimits.awayAfter } ?? true
        text.append("publisher", word: isAway ? "away" : "here")
        return PushMessage(kind: .heartbeat, position: position, text: text.finished())
    }

    static func end(_ ending: PushEnding, position: LogPosition?) -> PushMessage {
        var text = JSONText(.end)
        text.append("code", word: ending.rawValue)
        text.append("reason", word: ending.sentence)
        text.append("position", position)
        text.append("retry_ms", number: PushLimits.returnPause.wholeMilliseconds)
        return PushMessage(kind: .end, position: position, text: text.finished())
    }

    /// For a client that gets no subscription.
    package static func refusal(_ refusal: PushRefusal) -> PushMessage {
        var text = JSONText(.end)
        text.append("code", word: refusal.code.rawValue)
        text.append("reason", word: refusal.sentence)
        return PushMessage(kind: .end, position: nil, text: text.finished())
    }
}
