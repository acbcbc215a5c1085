/// Which publishers use a prefix of the store: the value of `owner`.
///
/// Two clusters on one prefix would lead each other's log. So the first publisher writes the places
/// of all publishers of its configuration, and one whose configuration has none of them refuses to
/// start. A publisher that is among them writes its own list: publishers come and go.
package struct PrefixOwner: Hashable, Sendable {
    /// Of each publisher, its name and its control endpoint: `NAME@ENDPOINT`.
    package let members: Set<String>

    package init(members: [(name: String, control: String)]) {
        self.members = Set(members.map { "\($0.name)@\($0.control)" })
    }

    package var bytes: [UInt8] {
        var words = SharedWords()
        words.add("publishers", members.sorted().joined(separator: ";"))
        return words.bytes
    }

    /// - Returns: `nil` for bytes that no publisher of this release wrote.
    package init?(_ bytes: [UInt8]) {
        guard let words = SharedWords(bytes), let text = words["publishers"] else { return nil }
        members = Set(text.split(separator: ";").map(String.init))
    }

    /// For people.
    package var description: String { members.sorted().joined(separator: ", ") }
}

/// Claims the prefix before anything else is read or written there.
///
///     unclaimed ─ owner is absent, or shares a publisher ─▶ claimed
///         └────── owner is another cluster's ─────────────▶ refused
struct PrefixClaim {
    enum State: Equatable {
        /// - Parameter found: the value that was read; `nil`: none yet.
        case unclaimed(found: [UInt8]?)
        case claimed
        case refused(String)
    }

    private let key: String
    private let own: PrefixOwner
    private(set) var state = State.unclaimed(found: nil)

    init(_ keys: SharedKeys, _ own: PrefixOwner) {
        key = keys.owner
        self.own = own
    }

    /// The transaction to send while the prefix is unclaimed.
    var next: StoreTransaction {
        let condition: StoreTransaction.Condition =
            if case .unclaimed(let found?) = state { .isEqual(key, found) } else { .isAbsent(key) }
        return StoreTransaction(
            conditions: [condition], changes: [.put(key, own.bytes)], reads: [.init(.key(key))])
    }

    /// The transaction was answered, with the value after it.
    mutating func answered(_ value: [UInt8]?) {
        guard let value else { return state = .unclaimed(found: nil) }
        guard value != own.bytes else { return state = .claimed }
        guard let other = PrefixOwner(value) else {
            return state = .refused(
                "its key \(key) has a value that no publisher of this release wrote")
        }
        guard other.members.isDisjoint(with: own.members) else {
            return state = .unclaimed(found: value)
        }
        state = .refused("it belongs to another cluster, with the publishers \(other.description)")
    }
}
