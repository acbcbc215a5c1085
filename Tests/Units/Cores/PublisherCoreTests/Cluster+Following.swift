import CacheAccess
import CacheModel
import CacheWire
import PublisherCore

/// What those say who follow what they may see.
extension Cluster {
    /// Whose keys the list of these tests has, by their lines.
    enum Follower: UInt32 { case web = 1, boss, meter, other }

    /// Somebody asks, under a number of its own; its peer has the number of its key.
    ///
    /// - Parameter after: `nil`: from the head on.
    mutating func ask(
        _ who: Follower, number: UInt64 = 1, after: LogMark?, limit: Int = 100, hold: UInt32 = 0
    ) {
        var request = FollowRequest(
            after: after ?? .none, limit: limit, holdMilliseconds: hold)
        request.isFromHead = after == nil
        let frame = Self.bytes { request.encode(requestID: number, into: &$0) }
        var actions: [PublisherAction] = []
        let (now, id) = (now, Self.peer(UInt8(who.rawValue)))
        frame.withUnsafeBytes {
            core.received(
                $0, from: RequestSender(id, principal: PrincipalNumber(rawValue: who.rawValue)),
                now: now, into: &actions)
        }
        take(actions)
    }

    /// Asks and ends the turn.
    ///
    /// - Returns: `nil` if that is not answered.
    mutating func follow(
        _ who: Follower, after: LogMark = .none, limit: Int = 100, hold: UInt32 = 0,
        fromHead: Bool = false
    ) throws -> Followed? {
        forget()
        ask(who, after: fromHead ? nil : after, limit: limit, hold: hold)
        tick()
        return try followed(UInt8(who.rawValue))
    }

    /// What was answered, if anything was; an error is left to be looked at.
    mutating func followed(_ peer: UInt8) throws -> Followed? {
        let frame = replies.first {
            $0.peer == peer && $0.frame[3] == MessageType.followed.rawValue
        }?.frame
        guard let frame else { return nil }
        forget()
        return try Self.decode(frame) { try Followed(decoding: $0) }
    }

    /// Somebody invalidates something, and the turn ends.
    mutating func say(_ scope: Scope, operation: UInt64 = 0) {
        let request = InvalidateRequest(
            scopes: [scope], wait: .none, timeoutMilliseconds: 100,
            operation: OperationID(high: 0, low: operation))
        let frame = Self.bytes { request.encode(requestID: 9, into: &$0) }
        var actions: [PublisherAction] = []
        let (now, id) = (now, Self.peer(90))
        frame.withUnsafeBytes {
            core.received(
                $0, from: RequestSender(id, principal: PrincipalNumber(rawValue: 2)), now: now,
                into: &actions)
        }
        take(actions)
        tick()
    }
}
