/// Who leaves when room is needed.
///
/// Told of entries that come, are replaced, move and leave. A hit raises the frequency in the
/// entry's head and is told only to a policy that asks for hits; others read the frequency when the
/// entry is next considered. The head's links and its queue belong to the policy.
///
/// Promises, which every policy is tested for: an admitted entry is held until it is removed,
/// replaced or taken; ``takeVictim()`` answers with each held entry once, and `nil` only when none
/// is held.
protocol EvictionPolicy: AnyObject {
    var entryCount: Int { get }
    /// Memory it takes beyond the entries' heads, in bytes.
    var memoryBytes: Int { get }
    /// Whether ``hit(_:)`` and ``missed(_:)`` are to be called.
    var wantsLookups: Bool { get }

    /// A new key is about to come; room will be made for it.
    func prepare(_ hash: KeyHash, weight: Int, in namespace: NamespaceNumber)

    /// The new key's entry. It has no frequency yet.
    func admit(_ entry: Entry, _ hash: KeyHash)

    /// `new` takes the place of `old`, an entry of the same key that is about to be freed. It
    /// has inherited what the policy wrote into `old`, except for the links.
    func replace(_ old: Entry, with new: Entry)

    /// A held entry was copied to another place, head and all.
    func moved(from old: Entry, to new: Entry)

    /// The entry leaves for a reason of its own.
    func remove(_ entry: Entry)

    /// Chooses who leaves, and holds it no longer.
    func takeVictim() -> Entry?

    /// The same where room is needed for an entry of `namespace`, in place of `replaced` if there
    /// is one. `nil` also where no held entry may leave for it.
    func takeVictim(
        for namespace: NamespaceNumber, weight: Int, over replaced: Entry?
    ) -> Entry?

    /// Whether one of `namespace` must leave before an entry of that weight may come, in place of
    /// `replaced` if there is one.
    func isFull(_ namespace: NamespaceNumber, adding weight: Int, over replaced: Entry?) -> Bool

    /// Whether no entry of `namespace` ever leaves for room: once it is full, it takes no more.
    func refusesWhenFull(_ namespace: NamespaceNumber) -> Bool

    /// A held entry was found.
    func hit(_ entry: Entry, _ hash: KeyHash)

    /// A key was looked up and not found.
    func missed(_ hash: KeyHash, in namespace: NamespaceNumber)

    /// The budget is another from now on.
    func budgetChanged(to weight: Int)

    /// Whether the entry is held where its head says. For checks.
    func holds(_ entry: Entry) -> Bool
}

extension EvictionPolicy {
    func prepare(_ hash: KeyHash, weight: Int, in namespace: NamespaceNumber) {}
    func takeVictim(
        for namespace: NamespaceNumber, weight: Int, over replaced: Entry?
    ) -> Entry? { takeVictim() }
    func isFull(
        _ namespace: NamespaceNumber, adding weight: Int, over replaced: Entry?
    ) -> Bool { false }
    func refusesWhenFull(_ namespace: NamespaceNumber) -> Bool { false }
    var memoryBytes: Int { 0 }
    var wantsLookups: Bool { false }
    func hit(_ entry: Entry, _ hash: KeyHash) {}
    func missed(_ hash: KeyHash, in namespace: NamespaceNumber) {}
    func budgetChanged(to weight: Int) {}
}
