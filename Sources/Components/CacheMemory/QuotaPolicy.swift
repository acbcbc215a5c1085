import CacheModel

/// One policy per namespace with a quota, and one for all others together.
///
///     entry's namespace ─▶ part 0: all without a quota    victim when space is short:
///                          part 1: sessions ≥ 20 %          the storing namespace's own, if it
///                          part 2: images   ≤ 30 %          is at its maximum; else a part that
///                                                           has more than its guarantee
///
/// Among the parts above their guarantee the victim's part is drawn in proportion to the surplus,
/// so that they share the rest of the memory as they would in one FIFO queue: a namespace that
/// stores more has more. The draw is an even sequence, not random.
///
/// A namespace with entries that gets its first quota keeps them in part 0 until a walk over the
/// index has moved them; until then an entry's part follows from its hash and the progress of the
/// walk. All of them count from the start, so its limits apply meanwhile. A namespace that loses
/// its quota keeps its part, without limits.
///
/// A part that refuses when full (``MemoryQuota/WhenFull/refuse``) is *pinned*: none of its entries
/// is ever a victim.
final class QuotaPolicy: EvictionPolicy {
    private struct Part {
        let policy: any EvictionPolicy
        var quota: MemoryQuota
        /// Weight of its policy's entries.
        var weight = 0
        /// Its namespace's entries still in part 0.
        var pending = ScopeCount()
        var evictions: UInt64 = 0
        /// The budget last passed to its policy.
        var policyBudget: Int
        /// Maximum weight of its namespace now. Above its quota's maximum only after that was
        /// lowered, until ``QuotaPolicy/takeExcess()`` has removed the excess.
        var ceiling: Int
        /// Maximum number of entries of its namespace now, likewise.
        var entryCeiling = Int.max
        /// Whether older entries of its namespace are still being moved to it.
        var isJoining = false

        var isPinned: Bool { quota.whenFull == .refuse }
        var entriesMost: Int { quota.entriesMax ?? .max }
        /// Weight of its namespace in all parts.
        var totalWeight: Int { weight + pending.bytes }
        var totalCount: Int { policy.entryCount + pending.entryCount }
    }

    /// Maximum number of pinned entries put back for one victim: part 0 has them only until the
    /// walk has moved them.
    private static let putBackMax = 64

    private let weights: EntryWeights
    private let make: (_ budget: Int) -> any EvictionPolicy
    private var parts: [Part]
    /// By namespace number; 0 for none.
    private var partNumbers: [UInt16] = []
    private var budget: Int
    /// Even sequence from which the victim's part is drawn.
    private var draw: UInt64 = 0
    /// Entries with a hash before it, in index order, are in their own part; `nil` when all are.
    private(set) var joinCursor: UInt64?

    /// - Parameters:
    ///   - others: the existing policy; it continues with its entries, as part 0.
    ///   - weight: the weight of its entries.
    ///   - make: makes the policy of a part with that budget.
    init(
        _ weights: EntryWeights, budget: Int, others: any EvictionPolicy, weight: Int,
        make: @escaping (_ budget: Int) -> any EvictionPolicy
    ) {
        self.weights = weights
        self.budget = budget
        self.make = make
        parts = [
            Part(
                policy: others, quota: .standard, weight: weight, policyBudget: budget,
                ceiling: budget)
        ]
    }

    var entryCount: Int { parts.reduce(0) { $0 + $1.policy.entryCount } }
    var memoryBytes: Int { parts.reduce(0) { $0 + $1.policy.memoryBytes } }
    var wantsLookups: Bool { parts[0].policy.wantsLookups }

    private func partNumber(_ namespace: NamespaceNumber) -> Int {
        let index = Int(namespace.rawValue)
        return index < partNumbers.count ? Int(partNumbers[index]) : 0
    }

    private func partNumber(of entry: Entry, _ hash: KeyHash? = nil) -> Int {
        let number = partNumber(entry.namespace)
        guard let joinCursor, parts[number].isJoining else { return number }
        let position = EntryIndex.position(of: hash ?? weights.hash(of: entry))
        return position < joinCursor ? number : 0
    }

    func prepare(_ hash: KeyHash, weight: Int, in namespace: NamespaceNumber) {
        parts[partNumber(namespace)].policy.prepare(hash, weight: weight, in: namespace)
    }

    func admit(_ entry: Entry, _ hash: KeyHash) {
        let number = partNumber(of: entry, hash)
        let weight = weights.weight(of: entry)
        parts[number].weight += weight
        parts[number].policy.admit(entry, hash)
        notePending(entry, in: number, count: 1, weight: weight)
    }

    func replace(_ old: Entry, with new: Entry) {
        let number = partNumber(of: old)
        let weight = weights.weight(of: new) - weights.weight(of: old)
        parts[number].weight += weight
        parts[number].policy.replace(old, with: new)
        notePending(new, in: number, count: 0, weight: weight)
    }

    /// Counts a change of part 0 for the future part of the entry.
    private func notePending(_ entry: Entry, in number: Int, count: Int, weight: Int) {
        guard number == 0, joinCursor != nil else { return }
        let home = partNumber(entry.namespace)
        guard home > 0 else { return }
        parts[home].pending.entryCount += count
        parts[home].pending.bytes += weight
    }

    func moved(from old: Entry, to new: Entry) {
        parts[partNumber(of: new)].policy.moved(from: old, to: new)
    }

    func remove(_ entry: Entry) {
        let number = partNumber(of: entry)
        let weight = weights.weight(of: entry)
        parts[number].weight -= weight
        parts[number].policy.remove(entry)
        notePending(entry, in: number, count: -1, weight: -weight)
    }

    func hit(_ entry: Entry, _ hash: KeyHash) {
        parts[partNumber(of: entry, hash)].policy.hit(entry, hash)
    }

    func missed(_ hash: KeyHash, in namespace: NamespaceNumber) {
        parts[partNumber(namespace)].policy.missed(hash, in: namespace)
    }

    func holds(_ entry: Entry) -> Bool { parts[partNumber(of: entry)].policy.holds(entry) }

    func budgetChanged(to weight: Int) {
        budget = weight
        for number in parts.indices { setCeiling(number) }
    }
}

// MARK: - Victims

extension QuotaPolicy {
    func weightMax(of namespace: NamespaceNumber) -> Int {
        parts[partNumber(namespace)].quota.most.of(budget)
    }

    func isFull(
        _ namespace: NamespaceNumber, adding weight: Int, over replaced: Entry?
    ) -> Bool {
        let part = parts[partNumber(namespace)]
        guard part.totalCount > 0 else { return false }
        let isNew = replaced == nil
        guard part.isPinned else {
            return part.totalWeight + weight > part.ceiling
                || isNew && part.totalCount >= part.entryCeiling
        }
        if isNew, part.totalCount >= part.entriesMost { return true }
        // An entry that does not grow fits, also above a lowered limit.
        let growth = weight - (replaced.map { weights.weight(of: $0) } ?? 0)
        return growth > 0 && part.totalWeight + growth > part.quota.most.of(budget)
    }

    func refusesWhenFull(_ namespace: NamespaceNumber) -> Bool {
        parts[partNumber(namespace)].isPinned
    }

    /// The namespaces that refuse when full.
    var pinnedNamespaces: [NamespaceNumber] {
        partNumbers.indices.filter { parts[Int(partNumbers[$0])].isPinned }
            .map { NamespaceNumber(UInt16($0)) }
    }

    func takeVictim(
        for namespace: NamespaceNumber, weight: Int, over replaced: Entry?
    ) -> Entry? {
        guard !isFull(namespace, adding: weight, over: replaced) else {
            let number = partNumber(namespace)
            return parts[number].isPinned ? nil : takeVictim(from: number)
        }
        return takeVictim()
    }

    func takeVictim() -> Entry? {
        let surpluses = parts.map { part in
            part.policy.entryCount == 0 || part.isPinned
                ? 0 : max(0, part.weight - part.quota.guaranteed.of(budget))
        }
        let total = surpluses.reduce(0, +)
        // Odd multiples of the golden ratio fill the range evenly.
        draw &+= 0x9E37_79B9_7F4A_7C15
        var point = Int(draw.multipliedFullWidth(by: UInt64(total)).high)
        for (number, surplus) in surpluses.enumerated() where surplus > 0 {
            if point < surplus, let victim = takeVictim(from: number) { return victim }
            point -= surplus
        }
        // The caller continues the walk: part 0 may have others behind the pinned ones.
        if joinCursor != nil, parts[0].policy.entryCount > 0 { return nil }
        // No part exceeds its guarantee, and yet there is no space: the shares do not account for
        // index, ghosts, and entries pinned under a lowered budget.
        let heaviest = parts.indices
            .filter { parts[$0].policy.entryCount > 0 && !parts[$0].isPinned }
            .sorted { parts[$0].weight > parts[$1].weight }
        for number in heaviest {
            if let victim = takeVictim(from: number) { return victim }
        }
        return nil
    }

    /// An entry of a part above its quota's maximum; `nil` if there is none. The part may not grow
    /// again.
    func takeExcess() -> Entry? {
        for number in parts.indices where hasExcess(parts[number]) {
            let most = parts[number].quota.most.of(budget)
            let entriesMost = parts[number].entriesMost
            guard
                parts[number].totalWeight > most || parts[number].totalCount > entriesMost,
                let victim = takeVictim(from: number)
            else {
                (parts[number].ceiling, parts[number].entryCeiling) = (most, entriesMost)
                continue
            }
            setCeiling(number)
            return victim
        }
        return nil
    }

    /// Whether ``takeExcess()`` may return one.
    var hasExcess: Bool { parts.contains { hasExcess($0) } }

    /// The entries of a pinned part stay until they end.
    private func hasExcess(_ part: Part) -> Bool {
        !part.isPinned
            && (part.ceiling > part.quota.most.of(budget) || part.entryCeiling > part.entriesMost)
    }

    private func takeVictim(from number: Int) -> Entry? {
        tellBudget(number)
        for _ in 0...Self.putBackMax {
            guard let victim = parts[number].policy.takeVictim() else { return nil }
            // Part 0 may hold pinned entries while they are being moved.
            let home = number == 0 && joinCursor != nil ? partNumber(victim.namespace) : number
            guard number > 0 || !parts[home].isPinned else {
                (victim.queue, victim.rank) = (0, 0)
                parts[number].policy.admit(victim, weights.hash(of: victim))
                continue
            }
            let weight = weights.weight(of: victim)
            parts[number].weight -= weight
            notePending(victim, in: number, count: -1, weight: -weight)
            parts[home].evictions &+= 1
            return victim
        }
        return nil
    }

    /// Passes the actual budget to a part's policy, whenever it differs by an eighth.
    private func tellBudget(_ number: Int) {
        let part = parts[number]
        guard abs(part.weight - part.policyBudget) > part.policyBudget / 8 else { return }
        parts[number].policyBudget = part.weight
        part.policy.budgetChanged(to: max(1, part.weight))
    }
}

// MARK: - Changing the quotas

extension QuotaPolicy {
    /// Replaces the quotas. Namespaces that had one and are not listed get the standard one.
    ///
    /// The caller has finished the walk of an earlier change.
    ///
    /// - Parameter resident: the namespace's resident entries.
    func setQuotas(
        _ quotas: [NamespaceNumber: MemoryQuota], resident: (NamespaceNumber) -> ScopeCount
    ) {
        precondition(joinCursor == nil, "one walk is ended before the next begins")
        for number in parts.indices { parts[number].quota = .standard }
        for (namespace, quota) in quotas.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let index = Int(namespace.rawValue)
            if index >= partNumbers.count {
                partNumbers += Array(repeating: 0, count: index + 1 - partNumbers.count)
            }
            if partNumbers[index] == 0 { append(namespace, resident(namespace)) }
            parts[Int(partNumbers[index])].quota = quota
        }
        for number in parts.indices { setCeiling(number) }
    }

    private func append(_ namespace: NamespaceNumber, _ resident: ScopeCount) {
        partNumbers[Int(namespace.rawValue)] = UInt16(parts.count)
        let share = max(1, budget / (parts.count + 1))
        parts.append(
            Part(
                policy: make(share), quota: .standard, pending: resident, policyBudget: share,
                ceiling: budget, isJoining: true))
        joinCursor = 0
    }

    private func setCeiling(_ number: Int) {
        let part = parts[number]
        parts[number].ceiling = max(part.quota.most.of(budget), part.totalWeight)
        parts[number].entryCeiling = max(part.entriesMost, part.totalCount)
    }

    /// Moves an entry to its part when the walk reaches its bucket.
    func join(_ entry: Entry, _ hash: KeyHash) {
        let number = partNumber(entry.namespace)
        guard parts[number].isJoining else { return }
        let weight = weights.weight(of: entry)
        parts[0].policy.remove(entry)
        parts[0].weight -= weight
        parts[number].pending.entryCount -= 1
        parts[number].pending.bytes -= weight
        // A policy treats it as new; only its frequency is kept.
        entry.queue = 0
        entry.rank = 0
        parts[number].policy.admit(entry, hash)
        parts[number].weight += weight
    }

    /// Notes the progress of the walk; `nil`: the end.
    func joined(before cursor: UInt64?) {
        joinCursor = cursor
        guard cursor == nil else { return }
        for number in parts.indices {
            #if CACHE_CHECKED
                precondition(
                    parts[number].pending == ScopeCount(), "the walk brings every entry over")
            #endif
            parts[number].isJoining = false
            parts[number].pending = ScopeCount()
            setCeiling(number)
        }
    }

    /// Usage of the namespaces with a part of their own, in the order of the parts.
    var usage: [QuotaUsage] {
        partNumbers.enumerated()
            .filter { $0.element > 0 }
            .map { index, number in
                let part = parts[Int(number)]
                return QuotaUsage(
                    namespace: NamespaceNumber(UInt16(index)), weight: part.totalWeight,
                    entryCount: part.totalCount, entriesMax: part.quota.entriesMax,
                    evictions: part.evictions)
            }
    }

    #if CACHE_CHECKED
        /// Checks the counts of a namespace with a part.
        func check(_ namespace: NamespaceNumber, _ resident: ScopeCount) {
            let number = partNumber(namespace)
            guard number > 0 else { return }
            precondition(
                parts[number].totalCount == resident.entryCount
                    && parts[number].totalWeight == resident.bytes,
                "a part counts all entries of its namespace")
        }
    #endif
}

/// Usage of a tier by a namespace with a quota.
package struct QuotaUsage: Equatable, Sendable {
    package var namespace: NamespaceNumber
    /// Weight of its entries: bytes, including bookkeeping.
    package var weight: Int
    /// Its entries in memory.
    package var entryCount: Int
    /// Maximum number of entries; `nil`: no limit.
    package var entriesMax: Int?
    /// Entries evicted since it has a quota, for any namespace's store.
    package var evictions: UInt64
}
