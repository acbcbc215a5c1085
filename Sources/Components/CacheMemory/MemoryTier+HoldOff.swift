extension MemoryTier {
    /// Whether no floor that covers the candidate lies above its fill stamp, whatever it came
    /// with: asked with a stamp of the past, it tells whether an invalidation has come since.
    package func isUncovered(_ candidate: StoreCandidate) -> Bool {
        var fenced = candidate
        fenced.isFenced = true
        return floors.refusal(ofFenced: fenced) == nil
    }
}
