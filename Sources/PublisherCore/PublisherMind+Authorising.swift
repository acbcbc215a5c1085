package import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// Whether whoever sent a message may ask what it asks. docs/decisions/0054 gives the reasons.
extension PublisherMind {
    /// Who may do what from now on. Until it is said for the first time nobody is asked who they
    /// are.
    package mutating func setAccess(_ table: AccessTable) {
        access = table
        budgets.follow(table)
        holdFollowers(against: table)
        withdrawPlaces(against: table)
    }

    /// - Returns: the sender's entry; `nil` where nobody is asked who they are.
    /// - Throws: `unauthorised`, with the right that is missing. What cannot be read is refused
    ///   for that, as it would be later.
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
            // INVALIDATE and PACE are held against their scopes where those are read, and FOLLOW
            // where it is; topology and configuration are for everybody who is let in.
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

    /// A node speaks for itself alone. A run that is not known is refused for that, later.
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

    /// - Throws: `unauthorised` unless the sender may invalidate all of that. A node passes on what
    ///   its clients were allowed.
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

    /// Who ordered something: what the key proves, and in brackets what the sender says besides.
    /// A node names its client there, or itself where it does not know whom.
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
