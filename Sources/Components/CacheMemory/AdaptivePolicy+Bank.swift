extension AdaptivePolicy {
    /// One queue per value class, and the level that ages entries that are not requested.
    struct Bank {
        private let weights: EntryWeights
        private var queues: [EntryList]
        /// The highest priority considered so far.
        private var level: UInt64 = 0
        private(set) var count = 0
        private(set) var weight = 0

        init(_ weights: EntryWeights) {
            self.weights = weights
            queues = Array(repeating: EntryList(weights), count: EntryValue.classCount)
        }

        /// - Parameter number: the bank's number, stored in the entry's head.
        mutating func append(_ entry: Entry, rank: UInt32, _ number: Int) {
            entry.queue = UInt32(number)
            entry.rank = rank
            enqueue(entry)
        }

        private mutating func enqueue(_ entry: Entry) {
            let number = classNumber(entry)
            let value = EntryValue.values[number]
            entry.stamp = UInt8(truncatingIfNeeded: (level + value) / Self.unit(number))
            queues[number].append(entry)
            count += 1
            weight += weights.weight(of: entry)
        }

        mutating func remove(_ entry: Entry) {
            queues[classNumber(entry)].remove(entry)
            count -= 1
            weight -= weights.weight(of: entry)
        }

        /// In the same queue position if its class is equal, else at the end of another queue.
        mutating func replace(_ old: Entry, with new: Entry) {
            let number = classNumber(old)
            guard number == classNumber(new) else {
                remove(old)
                return enqueue(new)
            }
            weight += weights.weight(of: new) - weights.weight(of: old)
            queues[number].replace(old, with: new)
        }

        mutating func moved(to entry: Entry) { queues[classNumber(entry)].moved(to: entry) }

        /// Removes the entry of the lowest priority – of the more valuable class if two are equal –
        /// and raises the level to it.
        mutating func takeLowest() -> Entry? {
            var lowest: Entry?
            var lowestPriority: UInt64 = 0
            for number in queues.indices {
                guard let first = queues[number].firstEntry else { continue }
                let priority = priority(of: first, number)
                if lowest == nil || priority < lowestPriority {
                    lowest = first
                    lowestPriority = priority
                }
            }
            guard let lowest else { return nil }
            level = max(level, lowestPriority)
            remove(lowest)
            return lowest
        }

        func holds(_ entry: Entry) -> Bool { queues[classNumber(entry)].holds(entry) }

        private func classNumber(_ entry: Entry) -> Int {
            EntryValue.class(weight: weights.weight(of: entry), rank: entry.rank)
        }

        /// The stamp keeps eight bits of the priority in units of the value's 128th part. A
        /// priority is at most two values above the level, so the bits determine it.
        private func priority(of entry: Entry, _ number: Int) -> UInt64 {
            let unit = Self.unit(number)
            let base = level / unit
            return (base + UInt64(entry.stamp &- UInt8(truncatingIfNeeded: base))) * unit
        }

        private static func unit(_ number: Int) -> UInt64 { EntryValue.values[number] >> 7 }
    }
}
