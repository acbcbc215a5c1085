package import ByteCoding
package import CacheModel

/// An event as a line of JSON: docs/audit-format.md.
extension AuditEvent {
    /// The line, with its end.
    ///
    /// - Parameter milliseconds: since 1970, when it was noted.
    package func line(at milliseconds: Int64, names: AuditNames) -> String {
        let head: [JSONDocument.Member] = [
            ("time", .text(AuditTime.text(of: milliseconds))), ("event", .text(word)),
        ]
        return JSONDocument.object(head + (party?.members ?? []) + deed.members(names)).line + "\n"
    }
}

extension AuditParty {
    fileprivate var members: [JSONDocument.Member] {
        let members: [JSONDocument.Member] = [
            ("who", .optional(name, JSONDocument.text)),
            ("key", .optional(key) { .text($0.fingerprint) }),
            ("from", address.isEmpty ? .null : .text(address)),
            ("claim", .optional(claim) { .text($0.name) }),
        ]
        guard let trace else { return members }
        return members + [("request", .text(trace.id))]
    }
}

extension AuditEvent.Deed {
    fileprivate func members(_ names: AuditNames) -> [JSONDocument.Member] {
        switch self {
        case .invalidated(let order, let position, let wait, let isRepeated):
            [("position", .text(position.description))] + order.members(names)
                + [("wait", .text(wait)), ("repeated", .bool(isRepeated))]
        case .receipt(let receipt, let position):
            [("position", .text(position.description))] + receipt.members
        case .paced(let order, let id, let spanMilliseconds):
            [("pacing", .unsigned(id.rawValue))] + order.members(names)
                + [("over_ms", .integer(Int(spanMilliseconds)))]
        case .paceCancelled(let id): [("pacing", .unsigned(id.rawValue))]
        case .forgot(let node, let runCount):
            [("node", .text(node.name)), ("runs", .integer(runCount))]
        case .drain(let node): [("node", .text(node.name))]
        case .queue(let order, let key, let namespace):
            [("order", .text(order)), ("namespace", .text(namespace.name))]
                + (key.map { names.members(of: $0.bytes) } ?? [])
        case .denied(let message, let missing):
            [("message", .text(message)), ("missing", .text(missing))]
        case .leftOut(let count), .lost(let count): [("count", .unsigned(count))]
        case .stranger(let door, let reason): [("door", .text(door)), ("reason", .text(reason))]
        case .list(let change): change.members
        case .began(let role): [("role", .text(role))]
        case .ended: []
        }
    }
}

extension AuditEvent.Order {
    fileprivate func members(_ names: AuditNames) -> [JSONDocument.Member] {
        [
            ("strength", .text(strength == .hard ? "hard" : "soft")),
            ("scope_count", .integer(scopeCount)),
            ("scopes", .list(scopes.map { .object($0.members(names)) })),
        ]
    }
}

extension Scope {
    fileprivate func members(_ names: AuditNames) -> [JSONDocument.Member] {
        guard let minimumVersion else { return target.members(names) }
        return target.members(names) + [("min_version", .unsigned(minimumVersion.rawValue))]
    }
}

extension Scope.Target {
    /// Kind, name and namespace.
    package func members(_ names: AuditNames) -> [JSONDocument.Member] {
        func named(
            _ kind: String, _ bytes: [UInt8], _ namespace: Namespace
        ) -> [JSONDocument.Member] {
            [("kind", .text(kind))] + names.members(of: bytes)
                + [("namespace", .text(namespace.name))]
        }
        return switch self {
        case .key(let key, let namespace): named("key", key.bytes, namespace)
        case .tag(let tag, let namespace): named("tag", tag.bytes, namespace)
        case .prefix(let bytes, let namespace): named("prefix", bytes, namespace)
        case .namespace(let namespace):
            [("kind", .text("namespace")), ("name", .text(namespace.name))]
        case .everything: [("kind", .text("all"))]
        }
    }
}

extension AuditEvent.Receipt {
    fileprivate var members: [JSONDocument.Member] {
        [
            ("complete", .bool(isComplete)), ("applied", .integer(appliedCount)),
            ("expired", .integer(expiredCount)), ("pending", .integer(pendingCount)),
            ("ms", .optional(milliseconds, JSONDocument.unsigned)),
        ]
    }
}

extension AuditEvent.ListChange {
    fileprivate var members: [JSONDocument.Member] {
        [("entries", .integer(entryCount))] + Self.members("new", new)
            + Self.members("gone", gone) + Self.members("changed", changed)
    }

    /// The first names, and how many there are where that is more.
    private static func members(_ name: String, _ all: [String]) -> [JSONDocument.Member] {
        let first = JSONDocument.list(all.prefix(AuditLimits.entriesMax).map(JSONDocument.text))
        guard all.count > AuditLimits.entriesMax else { return [(name, first)] }
        return [(name, first), ("\(name)_count", .integer(all.count))]
    }
}
