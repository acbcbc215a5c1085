/// Chooses the entries to evict when space is needed.
///
/// Called when entries are added, replaced, moved and removed. A hit increments the frequency in
/// the entry's head and is reported only to a policy that wants hits; others read the frequency
/// when they next consider the entry. The head's links and its queue belong to the policy.
///
/// Guarantees, tested for every policy: an admitted entry is held until it is removed, replaced or
/// taken; ``takeVictim()`` returns each held entry once, and `nil` only when none is held.
protocol EvictionPolicy: AnyObject {
    var entryCount: Int { get }
    /// Memory used beyond the entries' heads, in bytes.
    var memoryBytes: Int { get }
    /// Whether ``hit(_:)`` and ``missed(_:)`` are to be called.
    var wantsLookups: Bool { get }

    /// A new key will be stored after space is made for it.
    func prepare(_ hash: KeyHash, weight: Int, in namespace: NamespaceNumber)

    /// Adds the new key's entry, which has no frequency yet.
    func admit(_ entry: Entry, _ hash: KeyHash)

    /// `new` replaces `old`, an entry of the same key that is about to be freed. It has inherited
    /// the policy's state of `old`, except for the links.
    func replace(_ old: Entry, with new: Entry)

    /// A held entry was copied to another address, including its head.
    func moved(from old: Entry, to new: Entry)

    /// The entry is removed for another reason than eviction.
    func remove(_ entry: Entry)

    /// Chooses a victim, and no longer holds it.
    func takeVictim() -> Entry?

    /// The same for the space of an entry of `namespace`, in place of `replaced` if there is one.
    /// `nil` also if no held entry may be evicted for it.
    func takeVictim(
        for namespace: NamespaceNumber, weight: Int, over replaced: Entry?
    ) -> Entry?

    /// Whether an entry of `namespace` must be evicted before one of that weight can be stored, in
    /// place of `replaced` if there is one.
    func isFull(_ namespace: NamespaceNumber, adding weight: Int, over replaced: Entry?) -> Bool

    /// Whether entries of `namespace` are never evicted: once it is full, stores are refused.
    func refusesWhenFull(_ namespace: NamespaceNumber) -> Bool

    /// A held entry was found.
    func hit(_ entry: Entry, _ hash: KeyHash)

    /// A key was looked up and not found.
    func missed(_ hash: KeyHash, in namespace: NamespaceNumber)

    func budgetChanged(to weight: Int)

    /// Whether the entry is held where its head states. For checks.
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

/// A policy that holds each entry in one of its lists, whose number is in the entry's head.
protocol QueuedPolicy: EvictionPolicy {
    var queues: [EntryList] { get set }
}

extension QueuedPolicy {
    var entryCount: Int { queues.reduce(0) { $0 + $1.count } }

    /// As the newest of that list.
    func append(_ entry: Entry, to number: Int) {
        entry.queue = UInt32(number)
        queues[number].append(entry)
    }

    func admit(_ entry: Entry, _ hash: KeyHash) { append(entry, to: 0) }

    func replace(_ old: Entry, with new: Entry) {
        queues[Int(old.queue)].replace(old, with: new)
    }

    func moved(from old: Entry, to new: Entry) { queues[Int(new.queue)].moved(to: new) }

    func remove(_ entry: Entry) { queues[Int(entry.queue)].remove(entry) }

    func holds(_ entry: Entry) -> Bool { queues[Int(entry.queue)].holds(entry) }
}
