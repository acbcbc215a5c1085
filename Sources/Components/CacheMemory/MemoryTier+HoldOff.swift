extension MemoryTier {
    /// Whether no floor that covers the candidate is above its fill stamp, with or without a token:
    /// for a past stamp, it tells whether an invalidation has arrived since.
    package func isUncovered(_ candidate: StoreCandidate) -> Bool {
        var fenced = candidate
        fenced.isFenced = true
        return floors.refusal(ofFenced: fenced) == nil
    }
}
