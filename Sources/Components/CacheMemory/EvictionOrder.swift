import CacheModel

/// The policy that chooses victims, by namespace if some have quotas.
struct EvictionOrder {
    private let name: EvictionPolicyName
    private(set) var policy: any EvictionPolicy
    /// The policy, if namespaces have quotas.
    private(set) var quotas: QuotaPolicy?
    /// Whether the policy wants lookups; asked once.
    let tellsLookups: Bool
    /// The budget last passed to the policy; ``quotas`` do this for their parts.
    private var toldBudget: Int

    init(_ name: EvictionPolicyName, _ weights: EntryWeights, budget: Int) {
        self.name = name
        policy = name.make(weights, budget: budget)
        tellsLookups = policy.wantsLookups
        toldBudget = budget
    }

    mutating func setBudget(_ bytes: Int) {
        policy.budgetChanged(to: bytes)
        toldBudget = bytes
    }

    /// Passes the actual budget to the policy if the number of entries, not memory, is the limit,
    /// whenever it differs by an eighth.
    mutating func noteWeightOfMost(_ weight: Int) {
        guard quotas == nil, abs(weight - toldBudget) > toldBudget / 8 else { return }
        setBudget(max(1, weight))
    }

    /// The policy by namespace, from now on.
    ///
    /// - Parameter weight: of all entries.
    mutating func divided(_ weights: EntryWeights, budget: Int, weight: Int) -> QuotaPolicy {
        if let quotas { return quotas }
        let name = name
        let parts = QuotaPolicy(weights, budget: budget, others: policy, weight: weight) {
            name.make(weights, budget: $0)
        }
        (quotas, policy) = (parts, parts)
        return parts
    }

    /// Whether entries are still to be sorted by namespace, or a part has excess.
    var hasUnsettledQuotas: Bool { quotas.map { $0.joinCursor != nil || $0.hasExcess } ?? false }
}
