import CacheModel

extension MemoryTier {
    /// Lets entries go until `entry` fits beside the others, without `old` whose place it takes.
    ///
    /// An entry met on the way that is over anyway leaves with its own cause and is no eviction.
    ///
    /// - Returns: `old`, unless the policy chose just that one to leave.
    mutating func makeRoom(
        for entry: Entry, replacing old: Entry?, now: Instant
    ) -> Entry? {
        var old = old
        let needed = entry.costBytes
        while residentBytes + needed - (old?.costBytes ?? 0) > limits.residentBytesMax {
            guard let victim = policy.takeVictim() else {
                preconditionFailure("an entry that fits its share fits an empty tier")
            }
            index.remove(victim)
            if victim == old {
                old = nil
                discard(victim, cause: .replaced)
            } else {
                discard(victim, cause: check(victim, now: now) ?? .evicted)
            }
        }
        return old
    }
}
