import ByteCoding
package import CacheAccess
import CacheModel
import CacheWire

/// Whether the sender of a message is permitted to send it, and how much more: checked on arrival,
/// before any lookup. docs/decisions/0054 and 0055 give the reasons.
///
///     message ─▶ rights of its sender ─▶ its rate budget ─▶ admitted
///                     │ missing: unauthorised │ used up: busy, until it permits it
///     answer ───────────────────────────────▶ pays for its bytes
package struct ShardAdmission {
    /// Counters since the start.
    package struct Statistics: Equatable, Sendable {
        /// Messages of senders without permission.
        package var denied: UInt64 = 0
        /// Messages refused because their principal's rate budget was used up.
        package var overBudget: UInt64 = 0
        /// Messages refused without an answer, because their principal was refused too often.
        package var refusedSilently: UInt64 = 0
    }

    /// The access table; `nil`: clients are not identified.
    private var access: AccessTable?
    /// The used rate budget of each principal.
    private var budgets = Budgets()
    package private(set) var statistics = Statistics()

    /// - Parameter isGuarded: whether clients are identified: then none is admitted before an
    ///   access table is set.
    init(isGuarded: Bool) { access = isGuarded ? .empty : nil }

    mutating func setAccess(_ table: AccessTable) {
        access = table
        budgets.follow(table)
    }

    // MARK: Principals

    @inline(__always)
    var identifiesClients: Bool { access != nil }

    /// `nil` if the principal is not in the access table, or there is none.
    func entry(of principal: PrincipalNumber) -> AccessEntry? { access?.entry(of: principal) }

    /// The issuer of invalidations that the node requests for a principal.
    func issuer(of principal: PrincipalNumber) -> Issuer? {
        entry(of: principal).flatMap { Issuer($0.name) }
    }

    /// The principal with the share of common resources that a message uses; `nil`: there are no
    /// shares, because clients are not identified, or it is a node's message: nodes ask for many.
    func shareholder(_ principal: PrincipalNumber) -> PrincipalNumber? {
        let isNode = entry(of: principal)?.rights.contains(.node) ?? false
        return access == nil || isNode ? nil : principal
    }

    /// How many requests of a principal may wait at one time; `nil`: the common bound.
    func waitingMax(of principal: PrincipalNumber) -> Int? { budgets.waitingMax(of: principal) }

    // MARK: Budgets

    /// Checks the rights of a message's sender, and charges the message to its budget.
    ///
    /// - Parameter tags: storage for the tags of a store.
    /// - Throws: `unauthorised`, with the missing right; `busy`, with the time until the budget
    ///   permits it. A malformed message is refused for that, as it would be later.
    mutating func admit(
        _ message: MessageView, of frame: RequestFrame, tags: inout [UnsafeRawBufferPointer],
        now: Instant
    ) throws(WireRefusal) {
        try authorise(message, by: frame.principal, tags: &tags)
        let charge = budgets.charge(
            frame.principal, operations: max(1, message.count), bytes: frame.bytes.count, now: now)
        guard case .beyond(let retryAfter) = charge else { return }
        statistics.overBudget += 1
        throw WireRefusal(
            .busy, "your key has asked as much as it may", retryAfterMilliseconds: retryAfter)
    }

    /// Charges the bytes of an answer.
    @inline(__always)
    mutating func pay(_ principal: PrincipalNumber, bytes: Int, now: Instant) {
        guard access != nil else { return }
        budgets.pay(principal, bytes: bytes, now: now)
    }

    /// Charges the entries that a page of a scan examined: that is the work, whatever was found.
    /// The first operation was charged with the message.
    mutating func pay(_ principal: PrincipalNumber, lookCount: Int, now: Instant) {
        guard access != nil else { return }
        budgets.pay(principal, operations: lookCount / ShardLimits.scanLooksPerOperation, now: now)
    }

    /// Whether one more refusal is answered. A sender that is refused without end gets no answers.
    mutating func mayAnswerRefusal(of principal: PrincipalNumber, now: Instant) -> Bool {
        guard access != nil, !budgets.mayRefuse(principal, now: now) else { return true }
        statistics.refusedSilently += 1
        return false
    }

    // MARK: Rights

    private mutating func authorise(
        _ message: MessageView, by principal: PrincipalNumber,
        tags: inout [UnsafeRawBufferPointer]
    ) throws(WireRefusal) {
        let wanted = Self.rights(for: message.type)
        if access?.mayEverywhere(principal, wanted) ?? false { return }
        guard let access else { return }
        guard let entry = access.entry(of: principal) else {
            throw denied(AccessDenial.unlisted)
        }
        switch message.type {
        case .get, .set, .touch, .delete:
            if message.fields.isForwarded, message.type == .set || message.type == .delete {
                return try require(entry.rights.contains(.node), AccessDenial.forward)
            }
            let sentence = Self.missing(for: message.type)
            try authoriseKeys(of: message, entry, wanted, sentence, tags: &tags)
        case .chunk:
            // The following SET names its key, and is checked then.
            try require(!entry.rights.isDisjoint(with: [.write, .node]), AccessDenial.write)
        case .scan:
            let scope = Scope(try ScanRequest(decoding: message).target)
            try require(entry.may([.read, .node], with: scope), AccessDenial.read)
        case .count:
            let scopes = try CountRequest(decoding: message).scopes
            let may = scopes.allSatisfy { entry.may([.read, .invalidate], with: $0) }
            try require(may, AccessDenial.count)
        case .explain, .compare:
            let question = try KeyQuestion(decoding: message)
            let scope = Scope(.key(question.key, in: question.namespace))
            try require(entry.may(.read, with: scope), AccessDenial.read)
        case .status:
            let may = !entry.rights.isDisjoint(with: [.metrics, .node])
            try require(may, AccessDenial.figures)
        case .drain: try require(entry.mayEverywhere(.admin), AccessDenial.administer)
        case .queue: try authoriseQueue(message, entry)
        default:
            // Topology and configuration are open to every admitted client; a request that a shard
            // does not serve is refused for that.
            break
        }
    }

    /// An order that names a key requires rights on that key. One without a key affects the keys
    /// that its sender administers, see ``QueueQuestion``.
    private mutating func authoriseQueue(
        _ message: MessageView, _ entry: AccessEntry
    ) throws(WireRefusal) {
        try require(entry.rights.contains(.admin), AccessDenial.queue)
        guard !entry.mayEverywhere(.admin) else { return }
        let request = try QueueRequest(decoding: message)
        guard let key = request.key else { return }
        let scope = Scope(.key(key, in: request.namespace))
        try require(entry.may(.admin, with: scope), AccessDenial.queue)
    }

    /// The rights of which a message of this type requires one on every key; none if something else
    /// decides.
    private static func rights(for type: MessageType) -> AccessRights {
        switch type {
        case .get: [.read, .node]
        case .set, .touch: .write
        case .delete: [.write, .invalidate]
        default: []
        }
    }

    /// The sentence for a message about keys.
    private static func missing(for type: MessageType) -> StaticString {
        switch type {
        case .get: AccessDenial.read
        case .delete: AccessDenial.remove
        default: AccessDenial.write
        }
    }

    /// Whether a message may be sent to an origin. A removal then requires more than for emptying
    /// the cache only: the right to write.
    ///
    /// - Throws: `unauthorised`, with the missing right.
    mutating func authoriseWrite(
        _ message: MessageView, by principal: PrincipalNumber,
        tags: inout [UnsafeRawBufferPointer]
    ) throws(WireRefusal) {
        let isForwarded = message.fields.isForwarded
        guard let access, isForwarded || !access.mayEverywhere(principal, .write) else { return }
        guard let entry = access.entry(of: principal) else {
            throw denied(AccessDenial.unlisted)
        }
        if isForwarded {
            return try require(entry.rights.contains(.node), AccessDenial.forward)
        }
        let isRemoval = message.type == .delete
        try authoriseKeys(
            of: message, entry, .write,
            isRemoval ? AccessDenial.removeAtOrigin : AccessDenial.write, tags: &tags)
    }

    /// One comparison of the namespace; a check of each key if the sender's rights cover only a
    /// part of it.
    private mutating func authoriseKeys(
        of message: MessageView, _ entry: AccessEntry, _ wanted: AccessRights,
        _ sentence: StaticString, tags: inout [UnsafeRawBufferPointer]
    ) throws(WireRefusal) {
        let name = message.fields.namespace ?? Namespace.defaultName
        if entry.may(wanted, inAllOf: name) { return }
        var reader = ByteReader(message.body)
        for _ in 0..<(try message.operationCount()) {
            let key = try reader.nextKey(of: message.type, tags: &tags)
            try require(entry.may(wanted, keysBeginning: key, in: name), sentence)
        }
    }

    private mutating func require(
        _ isAllowed: Bool, _ sentence: StaticString
    ) throws(WireRefusal) {
        if !isAllowed { throw denied(sentence) }
    }

    private mutating func denied(_ sentence: StaticString) -> WireRefusal {
        statistics.denied += 1
        return WireRefusal(.unauthorised, sentence)
    }
}

extension ShardCore {
    /// Sets the access table.
    package mutating func setAccess(_ table: AccessTable) { admission.setAccess(table) }
}
