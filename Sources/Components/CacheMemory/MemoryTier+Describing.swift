import CacheModel

/// A confirmed value of which its origin says another type or language.
extension MemoryTier {
    /// Gives a renewed entry what the candidate says anew of its representation. The entry is
    /// written anew for that, with the value, the tags and the end that it has.
    ///
    /// Where there is no room for it, it stays as it was.
    ///
    /// - Complexity: O(value) if something has changed.
    mutating func describeAnew(_ entry: Entry, _ renewal: StoreCandidate, now: Instant) {
        guard !renewal.representation.isEmpty,
            let said = Representation(stored: renewal.representation),
            let held = Representation(stored: entry.representation),
            held.updated(by: said) != held
        else { return }
        let representation = held.updated(by: said).stored
        // To make room may move the entry, or let it go.
        let (value, validation) = ([UInt8](entry.value), [UInt8](entry.validation))
        value.withUnsafeBytes { value in
            validation.withUnsafeBytes { validation in
                representation.withUnsafeBytes { representation in
                    var candidate = StoreCandidate(
                        hash: renewal.hash, namespace: renewal.namespace, key: renewal.key,
                        value: value, fill: renewal.fill)
                    candidate.version = entry.version
                    candidate.validator = validation
                    candidate.representation = representation
                    candidate.age = renewal.age
                    candidate.isFenced = true
                    replace(entry, by: candidate, now: now)
                }
            }
        }
    }

    /// - Parameter candidate: has everything but end and tags, which are the entry's.
    private mutating func replace(_ entry: Entry, by candidate: StoreCandidate, now: Instant) {
        var candidate = candidate
        candidate.distinctTagCount = entry.tagCount
        guard weights.weight(of: candidate) <= entryWeightMax(candidate.namespace) else { return }
        let end = entry.end
        let tags = (0..<entry.tagCount).map { entry.tagID($0) }
        tags.forEach { floors.retainTag($0) }
        guard let reference = makeRoom(for: candidate, now: now) else {
            return tags.forEach { floors.releaseTag($0) }
        }
        for (index, tag) in tags.enumerated() { tagScratch[index] = tag }
        let renewed = arena.space.entry(reference)
        write(candidate, into: renewed, now: now)
        renewed.end = end
        let replaced = index.find(
            candidate.hash, namespace: candidate.namespace, key: candidate.key)
        place(renewed, candidate.hash, over: replaced)
    }
}
