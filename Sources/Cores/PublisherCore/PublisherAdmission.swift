import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// Decides whether a message is accepted: the rights of its sender and the rate budget of its key.
/// docs/decisions/0054 and 0055 give the reasons.
struct PublisherAdmission {
    /// The access table; `nil`: access control is off.
    private var access: AccessTable?
    /// The used rate budget of each principal.
    private var budgets = Budgets()
    /// The number of logged denials of each principal.
    private var denials = DenialBudget()
    /// Each key's share of the capacity for requests that are queued, being appended or waited for.
    var shares = WaitShares()

    mutating func setAccess(_ table: AccessTable) {
        access = table
        budgets.follow(table)
    }

    // MARK: Rights

    /// - Parameter grants: the known runs. A message of an unknown run is refused later, for that
    ///   reason.
    /// - Returns: the sender's entry; `nil` if access control is off.
    /// - Throws: `unauthorised`, with the missing right. A message that cannot be read is refused
    ///   for that reason, as it would be later.
    func authorise(
        _ message: MessageView, by principal: PrincipalNumber, among grants: GrantTable
    ) throws(WireRefusal) -> AccessEntry? {
        guard let entry = try entry(of: principal) else { return nil }
        switch message.type {
        case .hello, .ping, .ack, .bye, .resume, .floors:
            try Self.authoriseNode(message, entry, among: grants)
        case .awaitReceipt: try Self.require(.invalidate, or: .node, entry, AccessDenial.receipts)
        case .status: try Self.require(.metrics, or: .node, entry, AccessDenial.figures)
        case .forget, .stepDown:
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

    /// - Returns: `nil` if access control is off.
    private func entry(of principal: PrincipalNumber) throws(WireRefusal) -> AccessEntry? {
        guard let access else { return nil }
        guard let entry = access.entry(of: principal) else {
            throw WireRefusal(.unauthorised, AccessDenial.unlisted)
        }
        return entry
    }

    /// Of a publisher that does not lead: every listed key may know the leader.
    func authoriseAtStandby(
        _ message: MessageView, by principal: PrincipalNumber
    ) throws(WireRefusal) {
        guard let entry = try entry(of: principal), message.type == .status else { return }
        try Self.require(.metrics, or: .node, entry, AccessDenial.figures)
    }

    private static func require(
        _ right: AccessRights, or other: AccessRights, _ entry: AccessEntry,
        _ sentence: StaticString
    ) throws(WireRefusal) {
        guard entry.rights.isDisjoint(with: right.union(other)) else { return }
        throw WireRefusal(.unauthorised, sentence)
    }

    /// A node may act only for itself.
    private static func authoriseNode(
        _ message: MessageView, _ entry: AccessEntry, among grants: GrantTable
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

    // MARK: Rate budgets

    /// Charges a message to its sender's budget: a scope is an operation.
    ///
    /// - Throws: `busy`, with the time until the budget allows a retry.
    mutating func charge(
        _ message: MessageView, bytes: Int, of principal: PrincipalNumber, now: Instant
    ) throws(WireRefusal) {
        guard access != nil else { return }
        let charge = budgets.charge(
            principal, operations: max(1, message.count), bytes: bytes, now: now)
        guard case .beyond(let retryAfter) = charge else { return }
        throw WireRefusal(
            .busy, "your key has asked as much as it may; nothing was done",
            retryAfterMilliseconds: retryAfter)
    }

    /// Charges the bytes of the answers, too: at once, or in a later turn.
    mutating func pay(for actions: ArraySlice<PublisherAction>, now: Instant) {
        guard access != nil else { return }
        for case .reply(_, let frame, let principal) in actions {
            budgets.pay(principal, bytes: frame.count, now: now)
        }
    }

    /// Whether one more refusal is answered. A key that is refused too often gets no more answers.
    mutating func mayRefuse(_ principal: PrincipalNumber, now: Instant) -> Bool {
        access == nil || budgets.mayRefuse(principal, now: now)
    }

    /// Maximum waiting requests of the principal; `nil`: half of the capacity.
    func waitingMax(of principal: PrincipalNumber) -> Int? { budgets.waitingMax(of: principal) }

    /// Whether the sender's key has waits left in its share of that capacity. A node has no share,
    /// because it waits for many clients.
    func mayWait(_ message: IncomingMessage, _ bytes: Int) -> Bool {
        guard let entry = message.entry, !entry.rights.contains(.node) else { return true }
        let principal = message.requester.principal
        return shares.hasRoom(for: principal, bytes, countMax: waitingMax(of: principal))
    }

    // MARK: Denials in the audit log

    /// The sender of a message that may be audited later, when the frame is gone.
    func party(
        of message: MessageView, _ entry: AccessEntry?, at address: String
    ) -> AuditParty? {
        switch message.type {
        case .invalidate, .pace, .forget, .stepDown, .follow: AuditParty(entry, address: address)
        default: nil
        }
    }

    /// Records a message that was denied for a missing right.
    mutating func auditDenial(
        of frame: UnsafeRawBufferPointer, by sender: RequestSender, _ refusal: WireRefusal,
        now: Instant, to output: inout PublisherOutput
    ) {
        guard output.isAudited, frame.count >= MessageHeader.encodedBytes,
            let type = MessageType(rawValue: frame[3])
        else { return }
        let party = AuditParty(access?.entry(of: sender.principal), address: sender.address)
        auditDenial(of: type, by: party, refusal.sentence, now: now, to: &output)
    }

    /// Records a message that was denied for a missing right; `sentence` names the right.
    mutating func auditDenial(
        of type: MessageType, by party: AuditParty?, _ sentence: String, now: Instant,
        to output: inout PublisherOutput
    ) {
        guard output.isAudited, let party else { return }
        auditOmitted(now: now, to: &output)
        guard denials.mayNote(party, now: now) else { return }
        let missing = AccessDenial.missing(sentence)
        output.audit(.denied(message: "\(type)", missing: missing), by: party)
    }

    /// Reports how many denials have no line, once their second is over.
    mutating func auditOmitted(now: Instant, to output: inout PublisherOutput) {
        guard output.isAudited else { return }
        for event in denials.takeLeftOut(now: now) { output.actions.append(.audit(event)) }
    }
}
