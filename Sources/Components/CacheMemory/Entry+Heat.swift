extension EntryView {
    /// Approximate request frequency relative to other entries of the tier: what the policy will
    /// find when it next considers the entry.
    ///
    ///     heat = rank × 16 + hits × 4 + queue          0 … 111
    ///
    /// The rank is the one for its previous rank and its hits since then; for a policy without
    /// ranks only the hits count. A hint: hits are counted to three, and a formerly hot entry cools
    /// only when the policy considers it.
    package var heat: UInt16 {
        let hits = entry.frequency
        let rank = EntryValue.rank(after: min(entry.rank, EntryValue.rankMax), hits: hits)
        return UInt16(rank) << 4 | UInt16(hits) << 2 | UInt16(entry.queue)
    }
}
