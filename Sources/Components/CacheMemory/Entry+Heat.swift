extension EntryView {
    /// How often it is asked for, about, against others of the same tier: what the policy will
    /// find when it considers it next.
    ///
    ///     heat = rank × 16 + hits × 4 + queue          0 … 111
    ///
    /// The rank is the one it would be given then, for its rank so far and its hits since; where
    /// the policy gives no ranks, the hits alone decide. A hint: hits are counted to three, and
    /// what was hot once cools only as the policy comes round.
    package var heat: UInt16 {
        let hits = entry.frequency
        let rank = EntryValue.rank(after: min(entry.rank, EntryValue.rankMax), hits: hits)
        return UInt16(rank) << 4 | UInt16(hits) << 2 | UInt16(entry.queue)
    }
}
