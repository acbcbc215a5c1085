#if CACHE_CHECKED
    import CacheModel

    extension FloorTable {
        func checkTallies(_ entries: [Entry], _ weights: EntryWeights) {
            precondition(
                entries.allSatisfy { $0.fill <= tallies.highestFill },
                "nothing was filled above the highest fill")
            for (namespace, group) in Dictionary(grouping: entries, by: \.namespace) {
                Self.check(tallies.tally(of: namespace), counts: group, weights)
                let resident = tallies.resident(of: namespace)
                precondition(
                    resident.entryCount == group.count
                        && resident.bytes == group.reduce(0) { $0 + weights.weight(of: $1) },
                    "a namespace counts its resident entries")
            }
            var carriers: [TagID: [Entry]] = [:]
            for entry in entries {
                for tag in 0..<entry.tagCount {
                    carriers[entry.tagID(tag), default: []].append(entry)
                }
            }
            for (index, record) in tags.records.enumerated() where record.references > 0 {
                Self.check(record.tally, counts: carriers[TagID(own: index)] ?? [], weights)
            }
            for (index, record) in tags.shared.enumerated() {
                Self.check(record.tally, counts: carriers[TagID(shared: index)] ?? [], weights)
            }
        }

        private static func check(
            _ tally: ScopeTally, counts entries: [Entry], _ weights: EntryWeights
        ) {
            let counted = entries.filter { $0.fill >= tally.countedFrom }
            precondition(counted.count == tally.entryCount, "a scope counts its entries")
            precondition(
                counted.reduce(0) { $0 + weights.weight(of: $1) } == tally.bytes,
                "a scope weighs its entries")
        }

        func checkTags(_ references: [TagID: Int]) {
            var ownCount = 0
            for (index, record) in tags.records.enumerated() {
                let held = references[TagID(own: index)] ?? 0
                precondition(held == Int(record.references), "a tag counts its entries")
                if record.references > 0 || record.floors.isRaised { ownCount += 1 }
            }
            precondition(ownCount == tags.count, "an idle tag is reclaimed")
            for (index, record) in tags.shared.enumerated() {
                let held = references[TagID(shared: index)] ?? 0
                precondition(held == Int(record.references), "a shared floor counts its entries")
            }
        }
    }
#endif
