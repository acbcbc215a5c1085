import ByteCoding
import CacheModel

/// An event as a line of JSON: docs/audit-format.md.
extension AuditEvent {
    /// Appends the line, with its end.
    ///
    /// - Parameter milliseconds: since 1970, when it was noted.
    package func appendLine(
        to text: inout AuditText, at milliseconds: Int64, names: AuditNames
    ) {
        text.beginObject()
        text.member("time", AuditTime.text(of: milliseconds))
        text.member("event", word)
        if let party { append(party, to: &text) }
        append(deed, to: &text, names)
        text.endObject()
        text.endLine()
    }

    private func append(_ party: AuditParty, to text: inout AuditText) {
        text.member("who", party.name)
        text.member("key", party.key?.fingerprint)
        text.member("from", party.address.isEmpty ? nil : party.address)
        text.member("claim", party.claim?.name)
        if let trace = party.trace { text.member("request", trace.id) }
    }

    private func append(_ deed: Deed, to text: inout AuditText, _ names: AuditNames) {
        switch deed {
        case .invalidated(let order, let position, let wait, let isRepeated):
            text.member("position", position.description)
            append(order, to: &text, names)
            text.member("wait", wait)
            text.member("repeated", isRepeated)
        case .receipt(let receipt, let position):
            text.member("position", position.description)
            append(receipt, to: &text)
        case .paced(let order, let id, let spanMilliseconds):
            text.member("pacing", id.rawValue)
            append(order, to: &text, names)
            text.member("over_ms", UInt64(spanMilliseconds))
        case .paceCancelled(let id): text.member("pacing", id.rawValue)
        case .forgot(let node, let runCount):
            text.member("node", node.name)
            text.member("runs", UInt64(runCount))
        case .drain(let node): text.member("node", node.name)
        case .queue(let order, let key, let namespace):
            text.member("order", order)
            text.member("namespace", namespace.name)
            if let key { names.append(key.bytes, to: &text) }
        case .denied(let message, let missing):
            text.member("message", message)
            text.member("missing", missing)
        case .leftOut(let count), .lost(let count): text.member("count", count)
        case .stranger(let door, let reason):
            text.member("door", door)
            text.member("reason", reason)
        case .list(let change):
            text.member("entries", UInt64(change.entryCount))
            append(change.new, "new", to: &text)
            append(change.gone, "gone", to: &text)
            append(change.changed, "changed", to: &text)
        case .began(let role): text.member("role", role)
        case .ended: break
        }
    }

    private func append(_ order: Order, to text: inout AuditText, _ names: AuditNames) {
        text.member("strength", order.strength == .hard ? "hard" : "soft")
        text.member("scope_count", UInt64(order.scopeCount))
        text.beginList("scopes")
        for scope in order.scopes {
            text.beginObject()
            append(scope, to: &text, names)
            text.endObject()
        }
        text.endList()
    }

    private func append(_ scope: Scope, to text: inout AuditText, _ names: AuditNames) {
        switch scope.target {
        case .key(let key, let namespace):
            append("key", key.bytes, in: namespace, to: &text, names)
        case .tag(let tag, let namespace):
            append("tag", tag.bytes, in: namespace, to: &text, names)
        case .prefix(let bytes, let namespace):
            append("prefix", bytes, in: namespace, to: &text, names)
        case .namespace(let namespace):
            text.member("kind", "namespace")
            text.member("name", namespace.name)
        case .everything: text.member("kind", "all")
        }
        if let version = scope.minimumVersion { text.member("min_version", version.rawValue) }
    }

    private func append(
        _ kind: String, _ bytes: [UInt8], in namespace: Namespace, to text: inout AuditText,
        _ names: AuditNames
    ) {
        text.member("kind", kind)
        names.append(bytes, to: &text)
        text.member("namespace", namespace.name)
    }

    private func append(_ receipt: Receipt, to text: inout AuditText) {
        text.member("complete", receipt.isComplete)
        text.member("applied", UInt64(receipt.appliedCount))
        text.member("expired", UInt64(receipt.expiredCount))
        text.member("pending", UInt64(receipt.pendingCount))
        text.member("ms", receipt.milliseconds)
    }

    /// The first names, and how many there are where that is more.
    private func append(_ all: [String], _ name: String, to text: inout AuditText) {
        text.beginList(name)
        for entry in all.prefix(AuditLimits.entriesMax) { text.element(entry) }
        text.endList()
        if all.count > AuditLimits.entriesMax {
            text.member("\(name)_count", UInt64(all.count))
        }
    }
}
