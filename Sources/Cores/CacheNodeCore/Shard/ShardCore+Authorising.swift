import ByteCoding
package import CacheAccess
import CacheModel
import CacheWire

/// Whether the sender of a message is permitted to send it: checked on arrival, before any lookup.
/// docs/decisions/0054 gives the reasons.
extension ShardCore {
    /// Sets the access table.
    package mutating func setAccess(_ table: AccessTable) {
        access = table
        budgets.follow(table)
    }

    /// - Throws: `unauthorised`, with the missing right. A malformed message is refused for that,
    ///   as it would be later.
    mutating func authorise(
        _ message: MessageView, by principal: PrincipalNumber
    ) throws(WireRefusal) {
        let wanted = Self.rights(for: message.type)
        if access?.mayEverywhere(principal, wanted) ?? false { return }
        guard let access else { return }
        guard let entry = access.entry(of: principal) else {
            throw denied(AccessDenial.unlisted)
        }
        switch message.type {
        case .get: try authoriseKeys(message, entry, wanted, AccessDenial.read)
        case .set, .touch: try authoriseKeys(message, entry, wanted, AccessDenial.write)
        case .delete: try authoriseKeys(message, entry, wanted, AccessDenial.remove)
        case .chunk:
            // The following SET names its key, and is checked then.
            guard !entry.rights.isDisjoint(with: .write) else { throw denied(AccessDenial.write) }
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
        case .status: try require(mayAskFigures(entry), AccessDenial.figures)
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

    /// Whether a message may be sent to an origin. A removal then requires more than for emptying
    /// the cache only: the right to write.
    mutating func authoriseWrite(
        _ message: MessageView, by principal: PrincipalNumber
    ) throws(WireRefusal) {
        guard let access, !access.mayEverywhere(principal, .write) else { return }
        guard let entry = access.entry(of: principal) else {
            throw denied(AccessDenial.unlisted)
        }
        let isRemoval = message.type == .delete
        try authoriseKeys(
            message, entry, .write, isRemoval ? AccessDenial.removeAtOrigin : AccessDenial.write)
    }

    private func mayAskFigures(_ entry: AccessEntry) -> Bool {
        !entry.rights.isDisjoint(with: [.metrics, .node])
    }

    private mutating func require(
        _ isAllowed: Bool, _ sentence: StaticString
    ) throws(WireRefusal) {
        if !isAllowed { throw denied(sentence) }
    }

    private mutating func denied(_ sentence: StaticString) -> WireRefusal {
        statistics.deniedMessages += 1
        return WireRefusal(.unauthorised, sentence)
    }

    /// One comparison of the namespace; a check of each key if the sender's rights cover only a
    /// part of it.
    private mutating func authoriseKeys(
        _ message: MessageView, _ entry: AccessEntry, _ wanted: AccessRights,
        _ sentence: StaticString
    ) throws(WireRefusal) {
        let name = message.fields.namespace ?? Namespace.defaultName
        if entry.may(wanted, inAllOf: name) { return }
        var reader = ByteReader(message.body)
        for _ in 0..<(try message.operationCount()) {
            let key = try reader.nextKey(of: message.type, tags: &tags)
            guard entry.may(wanted, keysBeginning: key, in: name) else { throw denied(sentence) }
        }
    }
}
