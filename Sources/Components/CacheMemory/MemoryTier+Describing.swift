import CacheModel

/// Renewal of a value after the origin reported another type or language.
extension MemoryTier {
    /// Updates the representation of a renewed entry from the candidate. The entry is rewritten for
    /// that, with its value, tags and end.
    ///
    /// If there is no space for it, it is not changed.
    ///
    /// - Complexity: O(value) if the representation changes.
    mutating func describeAnew(_ entry: Entry, _ renewal: StoreCandidate, now: Instant) {
        guard !renewal.representation.isEmpty,
            let said = Representation(stored: renewal.representation),
            let held = Representation(stored: entry.representation),
            held.updated(by: said) != held
        else { return }
        let representation = held.updated(by: said).stored
        // Making space may move the entry, or evict it.
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

    /// - Parameter candidate: complete except for end and tags, which are the entry's.
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
