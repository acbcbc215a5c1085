package import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// Whether the sender of a message has the rights for it. docs/decisions/0054 gives the reasons.
extension PublisherMind {
    /// Sets the access table. Until the first call access control is off.
    package mutating func setAccess(_ table: AccessTable) {
        access = table
        budgets.follow(table)
        holdFollowers(against: table)
        withdrawPlaces(against: table)
    }

    /// - Returns: the sender's entry; `nil` if access control is off.
    /// - Throws: `unauthorised`, with the missing right. A message that cannot be read is refused
    ///   for that reason, as it would be later.
    func authorise(
        _ message: MessageView, by principal: PrincipalNumber
    ) throws(WireRefusal) -> AccessEntry? {
        guard let access else { return nil }
        guard let entry = access.entry(of: principal) else {
            throw WireRefusal(.unauthorised, AccessDenial.unlisted)
        }
        switch message.type {
        case .hello, .ping, .ack, .bye, .resume, .floors: try authoriseNode(message, entry)
        case .awaitReceipt: try Self.require(.invalidate, or: .node, entry, AccessDenial.receipts)
        case .status: try Self.require(.metrics, or: .node, entry, AccessDenial.figures)
        case .forget:
            guard entry.mayEverywhere(.admin) else {
                throw WireRefusal(.unauthorised, AccessDenial.administer)
            }
        default:
            // INVALIDATE and PACE are checked where their scopes are read, and FOLLOW where it is
            // handled; every listed key may read the topology and the configuration.
            break
        }
        return entry
    }

    private static func require(
        _ right: AccessRights, or other: AccessRights, _ entry: AccessEntry,
        _ sentence: StaticString
    ) throws(WireRefusal) {
        guard entry.rights.isDisjoint(with: right.union(other)) else { return }
        throw WireRefusal(.unauthorised, sentence)
    }

    /// A node may act only for itself. An unknown run is refused later, for that reason.
    private func authoriseNode(
        _ message: MessageView, _ entry: AccessEntry
    ) throws(WireRefusal) {
        let node: NodeID?
        switch message.type {
        case .hello: node = try Hello(decoding: message.body).node
        case .ping: node = grants.run(of: try Ping(decoding: message.body).incarnation)?.node
        case .ack: node = grants.run(of: try Ack(decoding: message.body).incarnation)?.node
        case .bye: node = grants.run(of: try Bye(decoding: message.body).incarnation)?.node
        case .floors:
            node = grants.run(of: try FloorsRequest(decoding: message.body).incarnation)?.node
        default:
            let incarnation = try Resume(decoding: message.body).incarnation
            guard incarnation != .none else {
                guard entry.mayFollowLog else {
                    throw WireRefusal(.unauthorised, AccessDenial.follow)
                }
                return
            }
            node = grants.run(of: incarnation)?.node
        }
        guard entry.rights.contains(.node), node.map({ entry.speaks(for: $0) }) ?? true else {
            throw WireRefusal(.unauthorised, AccessDenial.node)
        }
    }

    /// - Throws: `unauthorised` unless the sender may invalidate all these scopes. A node forwards
    ///   requests that its clients had the right for.
    static func authorise(
        _ scopes: some Sequence<Scope>, by entry: AccessEntry?
    ) throws(WireRefusal) {
        guard may(entry, invalidate: scopes) else {
            throw WireRefusal(.unauthorised, AccessDenial.invalidate)
        }
    }

    static func may(_ entry: AccessEntry?, invalidate scopes: some Sequence<Scope>) -> Bool {
        guard let entry, !entry.rights.contains(.node) else { return true }
        return entry.rights.contains(.invalidate)
            && scopes.allSatisfy { entry.may(.invalidate, with: $0) }
    }

    /// The issuer of an order: the name that the key proves, and in brackets the name that the
    /// sender claims. A node claims its client's name, or its own where it does not know the
    /// client.
    static func issuer(_ claimed: Issuer?, of entry: AccessEntry?) -> Issuer? {
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
