extension DiskIndex {
    /// Holds after every mutating method. One part is checked, and one bucket of it, so that a
    /// check costs the same in a full index.
    mutating func checkInvariants() {
        #if CACHE_CHECKED
            precondition(count >= 0 && count <= pages.count * IndexPart.slotsPerPage, "all fit")
            precondition(count > 0 || pages.count == 0, "an empty index has no page")
            checkCursor = (checkCursor + 1) % Self.partCount
            let part = parts[checkCursor]
            precondition(
                (part.count == 0) == (part.pageCount == 0), "a part has pages if it has entries")
            guard part.pageCount > 0 else { return }
            checkBucket(UInt64(count % part.bucketCount), of: checkCursor)
        #endif
    }

    #if CACHE_CHECKED
        /// Checks every part, page and bucket.
        ///
        /// - Complexity: O(memory).
        mutating func checkEverything() {
            checkInvariants()
            var (entries, listBytes, pageCount) = (0, 0, 0)
            for number in 0..<Self.partCount {
                let part = parts[number]
                var inPart = 0
                for bucket in 0..<part.bucketCount {
                    inPart += checkBucket(UInt64(bucket), of: number)
                }
                precondition(inPart == part.count, "a part counts its entries")
                for order in 0..<Int(part.pageCount) {
                    precondition(
                        pages.owner(part.page(order)) == .init(part: number, order: order),
                        "a page has the owner that it names")
                }
                entries += inPart
                listBytes += part.listBytes
                pageCount += Int(part.pageCount)
            }
            precondition(entries == count, "the index counts its entries")
            precondition(listBytes == self.listBytes, "the index counts its lists of pages")
            precondition(pageCount == pages.count, "every page has a part, and one only")
        }

        /// - Returns: how many entries are in it.
        @discardableResult
        private func checkBucket(_ number: UInt64, of part: Int) -> Int {
            let geometry = PartGeometry(bucketCount: parts[part].bucketCount)
            let bucket = bucket(parts[part], number)
            precondition(
                parts[part].isFull(number) == (bucket.free == 0), "full buckets are marked")
            var entries = 0
            for slot in 0..<IndexBucket.slotCount where !bucket[slot].isEmpty {
                let entry = entry(bucket[slot], in: number, geometry)
                let spot = spot(of: Self.fingerprint(part, entry.hash))
                precondition(
                    spot?.bucket.base == bucket.base && spot?.slot == slot,
                    "an entry is where its fingerprint is looked for, and nowhere else")
                _ = Found(bucket[slot])
                entries += 1
            }
            return entries
        }
    #endif
}
