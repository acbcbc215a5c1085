import CacheModel

/// A column of the table of nodes.
package enum NodeColumn: String, Hashable, Sendable, CaseIterable {
    case node, state, since, lease, lag, behind, gets, hits, slots, entries, memory, used, disk
    case invalidations, evictions, loads, descriptors, shards

    package var title: String { layout.title }

    /// In terminal columns: fixed, so that growing numbers do not move other columns.
    package var width: Int { layout.width }

    /// A narrow screen omits the columns with the greatest numbers first.
    var dispensability: Int { layout.dispensability }

    private var layout: (title: String, width: Int, dispensability: Int) {
        switch self {
        case .node: ("NODE", 6, 0)
        case .state: ("STATE", 11, 1)
        case .since: ("FOR", 6, 6)
        case .lease: ("LEASE", 7, 8)
        case .lag: ("LAG", 6, 5)
        case .behind: ("BEHIND", 7, 11)
        case .gets: ("GETS/S", 7, 2)
        case .hits: ("HITS", 6, 3)
        case .entries: ("ENTRIES", 8, 9)
        case .memory: ("MEMORY", 7, 7)
        case .used: ("USED", 6, 12)
        case .disk: ("ON DISK", 8, 13)
        case .invalidations: ("INV/S", 6, 10)
        case .evictions: ("EVICT/S", 8, 14)
        case .loads: ("LOADS/S", 8, 15)
        case .descriptors: ("FDS", 6, 16)
        case .shards: ("SHARDS", 7, 17)
        case .slots: ("SLOTS", 6, 4)
        }
    }

    package var isLeft: Bool { self == .node || self == .state }

    /// The columns that fit, in their order.
    ///
    /// - Parameters:
    ///   - nodeWidth: the width of the name column.
    ///   - empty: columns for which no node has a value.
    package static func fitting(
        _ columns: Int, nodeWidth: Int, without empty: Set<NodeColumn>
    ) -> [NodeColumn] {
        var chosen: Set<NodeColumn> = [.node]
        var left = columns - nodeWidth
        for column in allCases.sorted(by: { $0.dispensability < $1.dispensability }) {
            guard column != .node, !empty.contains(column) else { continue }
            // The first column that does not fit is the end: a less important one after a gap would
            // look odd.
            guard left >= column.width + 1 else { break }
            left -= column.width + 1
            chosen.insert(column)
        }
        return allCases.filter(chosen.contains)
    }

    // MARK: Contents

    package func text(_ row: NodeRow) -> String {
        switch self {
        case .node: row.node.name
        case .state: row.standing.word
        case .since: row.since.map(FigureWord.age) ?? ""
        case .lease: row.leaseLeft.map(FigureWord.time) ?? FigureWord.none
        case .behind: row.delay.map { $0 == .zero ? "0" : FigureWord.time($0) } ?? FigureWord.none
        case .hits, .used: number(row).map(FigureWord.share) ?? FigureWord.none
        case .gets, .invalidations, .evictions, .loads:
            number(row).map(FigureWord.rate) ?? FigureWord.none
        case .memory: row.track.sum("memory_bytes").map(FigureWord.size) ?? FigureWord.none
        case .lag: row.lag.map(FigureWord.count) ?? FigureWord.none
        case .entries, .disk, .descriptors, .slots:
            figure(row).map(FigureWord.count) ?? FigureWord.none
        case .shards: row.track.parts.isEmpty ? FigureWord.none : "\(row.track.parts.count)"
        }
    }

    package func style(_ row: NodeRow) -> CellStyle {
        switch self {
        case .state: return row.standing.style
        case .node: return row.isOld ? .faint : .strong
        case .since: return row.standing.style
        case .lease where !row.isOld && row.leaseLeft == nil: return .warning
        case .lag where (row.lag ?? 0) > 0, .behind where (row.lag ?? 0) > 0: return .warning
        default: return row.isOld ? .faint : .plain
        }
    }

    private func figure(_ row: NodeRow) -> UInt64? {
        switch self {
        case .entries: row.track.sum("entries")
        case .memory: row.track.sum("memory_bytes")
        case .disk: row.track.sum("disk_entries")
        case .descriptors: row.track.sum("descriptors")
        case .lag: row.lag
        case .slots: row.slots
        default: nil
        }
    }

    // MARK: Order

    /// The sort key of a row; rows with `nil` come last in either direction.
    private func number(_ row: NodeRow) -> Double? {
        switch self {
        case .node: nil
        case .state: Double(-row.standing.rank)
        case .since: row.since.map { Double($0.wholeMilliseconds) }
        case .lease: row.leaseLeft.map { Double($0.wholeMilliseconds) }
        case .behind: row.delay.map { Double($0.wholeMilliseconds) }
        case .hits: row.hitShare
        case .used: row.memoryShare
        case .gets: row.track.rate("gets")
        case .invalidations: row.appliedRate
        case .evictions: row.track.rate("removed_evicted")
        case .loads: row.track.rate("loads")
        case .shards: Double(row.track.parts.count)
        case .lag, .entries, .memory, .disk, .descriptors, .slots: figure(row).map(Double.init)
        }
    }

    /// Greatest first, or names in natural order; ties by name. Unknown values come last.
    package func sorted(_ rows: [NodeRow], isReversed: Bool) -> [NodeRow] {
        let byName = rows.sorted { NodeNameOrder.isBefore($0.node.name, $1.node.name) }
        if self == .node { return isReversed ? byName.reversed() : byName }
        let keyed = byName.enumerated().map { (place: $0, key: number($1), row: $1) }
        return keyed.sorted { left, right in
            switch (left.key, right.key) {
            case (let one?, let other?) where one != other:
                isReversed ? one < other : one > other
            case (.some, nil): true
            case (nil, .some): false
            default: left.place < right.place
            }
        }.map(\.row)
    }
}

/// Natural order of names: `n2` before `n10`.
enum NodeNameOrder {
    static func isBefore(_ left: String, _ right: String) -> Bool {
        var (one, other) = (Array(left.utf8)[...], Array(right.utf8)[...])
        while let first = one.first, let second = other.first {
            if isDigit(first), isDigit(second) {
                let (number, number2) = (digits(&one), digits(&other))
                if number.count != number2.count { return number.count < number2.count }
                if number != number2 { return number.lexicographicallyPrecedes(number2) }
            } else if first != second {
                return first < second
            } else {
                one.removeFirst()
                other.removeFirst()
            }
        }
        return one.isEmpty && other.isEmpty ? left < right : one.isEmpty
    }

    /// Removes a number from the beginning, and returns it without leading zeros.
    private static func digits(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let number = text.prefix(while: isDigit)
        text = text.dropFirst(number.count)
        return number.drop { $0 == 0x30 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
