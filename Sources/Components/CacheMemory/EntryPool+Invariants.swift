extension EntryPool {
    /// Holds after every mutating method: the sums agree, and – one bucket at a time, so that a
    /// check costs the same in a full tier – every entry is where the structures state.
    mutating func checkInvariants() {
        #if CACHE_CHECKED
            precondition(arena.holeBytes >= 0, "no more is live than was touched")
            precondition(
                eviction.policy.entryCount == index.count,
                "the policy holds every resident entry once")
            precondition(
                index.count > 0 || (residentWeight == 0 && arena.usedBytes == 0),
                "an empty tier is charged nothing for entries")
            precondition(floors.tags.count <= limits.tagsMax, "tags are bounded")
            precondition(
                floors.prefixCount <= limits.prefixFloorsMax, "prefix floors are bounded")
            precondition(floors.keyCount <= limits.keyFloorsMax, "key floors are bounded")
            checkCursor = (checkCursor + 1) % index.bucketCount
            _ = checkBucket(checkCursor)
        #endif
    }

    #if CACHE_CHECKED
        /// Checks every bucket and every sum.
        ///
        /// - Complexity: O(entries).
        mutating func checkEverything() {
            checkInvariants()
            var count = 0
            var costBytes = 0
            var references: [TagID: Int] = [:]
            var entries: [Entry] = []
            for home in 0..<index.bucketCount {
                for entry in checkBucket(home) {
                    count += 1
                    entries.append(entry)
                    costBytes += weights.weight(of: entry)
                    for tag in 0..<entry.tagCount {
                        references[entry.tagID(tag), default: 0] += 1
                    }
                }
            }
            precondition(count == index.count, "the index counts its entries")
            precondition(
                count - (guest == nil ? 0 : 1) <= limits.entriesMax ?? .max,
                "a bound of entries is never exceeded")
            precondition(costBytes == residentWeight, "every entry weighs what it weighs")
            floors.checkTags(references)
            floors.prefixes.check()
            floors.checkTallies(entries, weights)
            for namespace in Set(entries.map(\.namespace)) {
                eviction.quotas?.check(namespace, floors.tallies.resident(of: namespace))
            }
        }

        private func checkBucket(_ home: Int) -> [Entry] {
            var entries: [Entry] = []
            index.collect(home, into: &entries)
            for entry in entries {
                let hash = hasher.hash(entry)
                precondition(
                    index.homeNumber(hash) == home,
                    "an entry is in the chain of its home bucket")
                precondition(
                    index.find(hash, namespace: entry.namespace, key: entry.key) == entry,
                    "an entry is found by its key, and is the only one of it")
                precondition(
                    eviction.policy.holds(entry), "the policy holds the entry where it says")
                precondition(
                    entry.flags.contains(.soft) || entry.checkedAt <= floors.ordinal,
                    "no entry was checked ahead of time")
                let slab = arena.slab(of: arena.space.reference(entry))
                precondition(
                    arena.slabs[slab].earliestEnd <= entry.gone.tick
                        || expiry.walk?.slab == slab,
                    "no entry ends before its slab's earliest end")
            }
            return entries
        }
    #endif
}
