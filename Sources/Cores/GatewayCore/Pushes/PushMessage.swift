import ByteCoding
import CacheAccess
import CacheHTTP
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

    private init(_ kind: Kind, _ position: LogPosition?, _ members: [JSONDocument.Member]) {
        self.kind = kind
        self.position = position
        let type = JSONDocument.text(kind.rawValue)
        text = JSONDocument.object([("type", type)] + members).bytes
    }
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
        let spacing = PushLimits.heartbeatSpacing.wholeMilliseconds
        return PushMessage(
            .hello, position,
            [member("position", position), member("head", head)]
                + JSONDocument.members(of: cluster) + [("heartbeat_ms", .unsigned(spacing))])
    }

    /// - Parameter scopes: those of the record that concern the reader, in words it may see.
    static func record(_ record: InvalidationRecord, scopes: some Collection<Scope>) -> PushMessage
    {
        PushMessage(
            .record, record.position,
            [
                member("position", record.position),
                ("strength", .text(record.strength == .hard ? "hard" : "soft")),
                ("scopes", .list(scopes.map(document))),
            ])
    }

    static func gone(after: LogPosition, position: LogPosition) -> PushMessage {
        PushMessage(.gone, position, [member("after", after), member("position", position)])
    }

    /// - Parameter silence: since the publisher was heard; `nil` where it never was.
    static func heartbeat(
        position: LogPosition?, head: LogPosition?, silence: Duration?
    ) -> PushMessage {
        let isAway = silence.map { $0 >= PushLimits.awayAfter } ?? true
        return PushMessage(
            .heartbeat, position,
            [
                member("position", position), member("head", head),
                ("silent_ms", .optional(silence) { .unsigned($0.wholeMilliseconds) }),
                ("publisher", .text(isAway ? "away" : "here")),
            ])
    }

    static func end(_ ending: PushEnding, position: LogPosition?) -> PushMessage {
        let pause = PushLimits.returnPause.wholeMilliseconds
        return PushMessage(
            .end, position,
            [
                ("code", .text(ending.rawValue)), ("reason", .text(ending.sentence)),
                member("position", position), ("retry_ms", .unsigned(pause)),
            ])
    }

    /// For a client that gets no subscription.
    package static func refusal(_ refusal: PushRefusal) -> PushMessage {
        PushMessage(
            .end, nil,
            [("code", .text(refusal.code.rawValue)), ("reason", .text(refusal.sentence))])
    }

    private static func member(_ name: String, _ position: LogPosition?) -> JSONDocument.Member {
        (name, .optional(position) { .text($0.description) })
    }

    /// As `martlet tail --json` writes them, except that numbers of 64 bits are text: numbers in
    /// JavaScript are exact up to 53 bits only.
    private static func document(_ scope: Scope) -> JSONDocument {
        var members = scope.target.members(.clear)
        if let version = scope.minimumVersion {
            members.append(("min_version", .text(version.description)))
        }
        if let range = scope.hashRange {
            let bounds = [range.lowerBound, range.upperBound]
            members.append(("hash_range", .list(bounds.map { .text("\($0)") })))
        }
        return .object(members)
    }
}
