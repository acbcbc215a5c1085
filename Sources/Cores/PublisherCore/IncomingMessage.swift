import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// A decoded message with its sender. Valid only as long as its frame.
struct IncomingMessage {
    let view: MessageView
    let requester: Requester
    /// The sender's entry in the access table; `nil` if access control is off.
    let entry: AccessEntry?
    /// When it arrived: before `now` if it waited for its confirmation.
    let arrivedAt: Instant
    let now: Instant

    var fields: MessageFields { view.fields }

    /// - Throws: `unauthorised` unless the sender may invalidate all these scopes. A node forwards
    ///   requests that its clients had the right for.
    func authorise(_ scopes: some Sequence<Scope>) throws(WireRefusal) {
        guard mayInvalidate(scopes) else {
            throw WireRefusal(.unauthorised, AccessDenial.invalidate)
        }
    }

    func mayInvalidate(_ scopes: some Sequence<Scope>) -> Bool {
        guard let entry, !entry.rights.contains(.node) else { return true }
        return entry.rights.contains(.invalidate)
            && scopes.allSatisfy { entry.may(.invalidate, with: $0) }
    }

    /// The issuer of an order: the name that the key proves, and in brackets the name that the
    /// sender claims. A node claims its client's name, or its own where it does not know the
    /// client.
    func issuer(_ claimed: Issuer?) -> Issuer? {
        guard let entry else { return claimed }
        if entry.rights.contains(.node), let node = NodeID(entry.name),
            claimed ?? Issuer(node: node) == Issuer(node: node)
        {
            return claimed
        }
        let claim = claimed.map { " (\($0.name))" } ?? ""
        return Issuer(shortening: entry.name + claim)
    }
}

extension IncomingMessage {
    /// The end of a wait for a receipt. A client is gone after its deadline, so the wait is never
    /// longer.
    func deadline(timeoutMilliseconds: UInt32) -> Instant {
        let milliseconds = min(timeoutMilliseconds, fields.deadlineMilliseconds ?? .max)
        return now.advanced(
            by: min(.milliseconds(Int64(milliseconds)), InvalidationLimits.waitTimeMax))
    }
}
