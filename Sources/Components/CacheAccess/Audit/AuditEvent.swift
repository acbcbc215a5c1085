package import ByteCoding
package import CacheModel

/// An event for the audit log: a deed and its party. The shell adds the time.
///
/// The cores and the gatekeeper make it, and the thread of the audit log writes it as a line:
/// `AuditEvent+Line`. It has no field for values or secrets. Names of keys, tags and prefixes are
/// in it as they are; ``AuditNames`` decides whether they are written, when the line is made.
///
///     PublishingCore, ShardCore, Gatekeeper ─▶ AuditEvent ─▶ AuditLog ─▶ a line of JSON
///
/// docs/audit-format.md tells every field.
package struct AuditEvent: Hashable, Sendable {
    /// The scopes and the strength of an order.
    package struct Order: Hashable, Sendable {
        /// The first of them, ``AuditLimits/scopesMax`` at most.
        package let scopes: [Scope]
        package let scopeCount: Int
        package let strength: InvalidationRecord.Strength

        package init(_ scopes: some Collection<Scope>, _ strength: InvalidationRecord.Strength) {
            self.scopes = Array(scopes.prefix(AuditLimits.scopesMax))
            scopeCount = scopes.count
            self.strength = strength
        }
    }

    /// How many nodes have applied it, at the end of the wait.
    package struct Receipt: Hashable, Sendable {
        package let isComplete: Bool
        package let appliedCount: Int
        package let expiredCount: Int
        package let pendingCount: Int
        /// Since it was appended; `nil` where that is not known any more.
        package let milliseconds: UInt64?

        package init(
            isComplete: Bool, appliedCount: Int, expiredCount: Int, pendingCount: Int,
            milliseconds: UInt64?
        ) {
            self.isComplete = isComplete
            self.appliedCount = appliedCount
            self.expiredCount = expiredCount
            self.pendingCount = pendingCount
            self.milliseconds = milliseconds
        }
    }

    /// How another list differs from the one before it.
    package struct ListChange: Hashable, Sendable {
        package let entryCount: Int
        package let new: [String]
        package let gone: [String]
        /// The same key, with another name, role, pattern or date.
        package let changed: [String]
    }

    /// What was done.
    package enum Deed: Hashable, Sendable {
        /// It is in the log. A repetition was there before.
        case invalidated(Order, at: LogPosition, wait: String, isRepeated: Bool)
        case receipt(Receipt, of: LogPosition)
        case paced(Order, PacingID, spanMilliseconds: UInt32)
        case paceCancelled(PacingID)
        case forgot(NodeID, runCount: Int)
        case drain(NodeID)
        /// An order about rejected writes; without a key about all of them.
        case queue(order: String, key: CacheKey?, in: Namespace)
        /// A message that its sender may not send, and the role that it takes.
        case denied(message: String, missing: String)
        /// Denials of the same key that have no line.
        case leftOut(count: UInt64)
        /// A client was refused.
        case stranger(door: String, reason: String)
        case list(ListChange)
        case began(role: String)
        case ended
        /// Lines that could not be written.
        case lost(count: UInt64)
    }

    /// `nil` for what the process does by itself.
    package var party: AuditParty?
    package var deed: Deed

    package init(_ deed: Deed, by party: AuditParty? = nil) {
        self.party = party
        self.deed = deed
    }

    /// The word for it in a line.
    package var word: String {
        switch deed {
        case .invalidated: "invalidate"
        case .receipt: "receipt"
        case .paced: "pace"
        case .paceCancelled: "cancel"
        case .forgot: "forget"
        case .drain: "drain"
        case .queue: "queue"
        case .denied: "denied"
        case .leftOut: "left-out"
        case .stranger: "stranger"
        case .list: "list"
        case .began: "begin"
        case .ended: "end"
        case .lost: "lost"
        }
    }

    /// Every word that ``word`` can be.
    package static let words = [
        "invalidate", "receipt", "pace", "cancel", "forget", "drain", "queue", "denied",
        "left-out", "stranger", "list", "begin", "end", "lost",
    ]

    /// Its approximate size in memory.
    package var byteCount: Int {
        switch deed {
        case .invalidated(let order, _, _, _), .paced(let order, _, _):
            order.scopes.reduce(256) { $0 + 64 + $1.nameByteCount }
        case .queue(_, let key, _): 256 + (key?.bytes.count ?? 0)
        case .list(let change):
            256 + 80 * (change.new.count + change.gone.count + change.changed.count)
        default: 256
        }
    }
}

extension AuditEvent.ListChange {
    /// What is different in `new`, by keys.
    package init(from old: AccessList, to new: AccessList) {
        let gone = old.entries.filter { new.entry(of: $0.key) == nil }
        let come = new.entries.filter { old.entry(of: $0.key) == nil }
        let changed = new.entries.filter { entry in
            old.entry(of: entry.key).map { $0 != entry } ?? false
        }
        func names(_ entries: [AccessEntry]) -> [String] { entries.map(\.name) }
        self.init(
            entryCount: new.entries.count, new: names(come), gone: names(gone),
            changed: names(changed))
    }
}

extension Scope {
    fileprivate var nameByteCount: Int {
        switch target {
        case .key(let key, _): key.bytes.count
        case .tag(let tag, _): tag.bytes.count
        case .prefix(let bytes, _): bytes.count
        case .namespace, .everything: 0
        }
    }
}

/// The party of an event, and its address, as far as they are known.
package struct AuditParty: Hashable, Sendable {
    /// The name of the list's entry; `nil` where access control is off, or the key is in no list.
    package var name: String?
    package var key: PublicKey?
    /// As the socket saw it, without a port; empty where it is not known.
    package var address: String
    /// The issuer that the sender claims to be, or to ask for.
    package var claim: Issuer?
    /// The external request that it acted for, as it claims.
    package var trace: TraceContext?

    package init(_ entry: AccessEntry?, address: String = "") {
        name = entry?.name
        key = entry?.key
        self.address = address
    }
}

/// Every bound of what is noted for later.
package enum AuditLimits {
    /// Scopes of one invalidation that are named; the rest is counted.
    package static let scopesMax = 32
    /// Entries of a changed list that are named, of each kind; the rest is counted.
    package static let entriesMax = 64
    /// Of a name that stands in a line of another log; the rest is left out.
    static let memberBytesMax = 256
    /// Denials of one key that are noted within ``denialWindow``.
    package static let denialsMax: UInt64 = 4
    package static let denialWindow = Duration.seconds(1)
    /// Bytes of lines that one key has in a second for what it is allowed to do.
    package static let lineBytesPerSecond = 512 << 10
}
