package import CacheHTTP
package import CacheModel
import DequeModule

/// Values that nodes returned a moment ago, by key.
///
/// All times are the caller's, and never go back.
///
/// - Complexity: everything is O(1), amortised over what is kept.
package struct NearCache: Sendable {
    struct Entry {
        let value: FoundValue
        /// When its reader began to ask: the value may have this age on arrival.
        let askedAt: Instant
        let cost: Int
        /// The number of its place in ``NearCache/order``.
        let number: UInt64
    }

    struct Place {
        let key: NearKey
        let number: UInt64
    }

    let bytesMax: Int
    let ageMax: Duration
    var entries: [NearKey: Entry] = [:]
    /// Oldest first. Places of removed or replaced entries stay until they come first.
    var order: Deque<Place> = []
    var nextNumber: UInt64 = 0
    /// The last record received, or where the log is followed from; `nil` while it is not followed.
    var applied: LogPosition?
    var fences = [UInt32](repeating: 0, count: NearLimits.fences)
    var everythingFence: UInt64 = 0
    package internal(set) var figures = NearFigures()

    /// Places in the order, with those of removed entries. For tests.
    package var placesCount: Int { order.count }

    /// - Precondition: `bytesMax` and `ageMax` are within ``NearLimits``.
    package init(bytesMax: Int, ageMax: Duration = NearLimits.ageStandard) {
        precondition((NearLimits.bytesMin...NearLimits.bytesMax).contains(bytesMax))
        precondition((NearLimits.ageMin...NearLimits.ageMax).contains(ageMax))
        self.bytesMax = bytesMax
        self.ageMax = ageMax
    }

    // MARK: Reading

    /// Whether a value is kept for a key; it may be too old by now.
    package func has(_ key: NearKey) -> Bool { entries[key] != nil }

    /// The value to answer with; `nil` if a node has to be asked.
    ///
    /// - Returns: the value with its age and time to live as of `now`, and the position that it
    ///   reflects.
    package mutating func value(
        for key: NearKey, _ terms: ReadTerms, at now: Instant
    ) -> FoundValue? {
        guard let applied, let entry = entries[key], !terms.isFresh else { return nil }
        var value = entry.value
        let elapsed = now.elapsed(since: entry.askedAt)
        value.age += elapsed
        if let left = value.timeToLive { value.timeToLive = left - elapsed }
        guard elapsed < ageMax, value.timeToLive ?? .zero >= .zero else {
            remove(key, entry)
            figures.expired += 1
            return nil
        }
        value.position = max(value.position, applied)
        value.tier = .near
        guard Self.suits(value, terms) else { return nil }
        figures.hits += 1
        return value
    }

    private static func suits(_ value: FoundValue, _ terms: ReadTerms) -> Bool {
        if let atLeast = terms.atLeast {
            // Only nodes know the meaning of a position of another epoch or cluster.
            guard terms.atLeastCluster == .none || terms.atLeastCluster == value.cluster,
                atLeast.epoch == value.position.epoch, atLeast <= value.position
            else {
                return false
            }
        }
        return terms.maxAge.map { value.age <= $0 } ?? true
    }

    // MARK: Keeping

    /// A node is asked: its answer is kept with this ticket.
    package mutating func ticket(for key: NearKey, at now: Instant) -> NearTicket {
        figures.misses += 1
        return NearTicket(
            beganAt: now, fence: fences[Self.fence(of: key)], everything: everythingFence)
    }

    /// Whether no client of this gateway has changed the key since.
    private func holds(_ ticket: NearTicket, for key: NearKey) -> Bool {
        ticket.fence == fences[Self.fence(of: key)] && ticket.everything == everythingFence
    }

    /// A node answered a read.
    ///
    /// - Parameter ticket: from before the node was asked.
    package mutating func keep(
        _ value: FoundValue, for key: NearKey, since ticket: NearTicket, at now: Instant
    ) {
        guard let applied, holds(ticket, for: key), Self.isVouchedFor(value),
            value.bytes.count <= NearLimits.valueBytesMax,
            value.position.epoch == applied.epoch, value.position >= applied
        else { return }
        let cost = Self.cost(of: value, key)
        guard cost <= bytesMax else { return }
        if let old = entries[key] { remove(key, old) }
        let number = nextNumber
        nextNumber += 1
        entries[key] = Entry(
            value: value, askedAt: ticket.beganAt, cost: cost, number: number)
        order.append(Place(key: key, number: number))
        figures.bytes += cost
        figures.entries += 1
        figures.kept += 1
        makeRoom(at: now)
    }

    /// Whether a node that follows the log returned it, and the value may be kept for a while.
    private static func isVouchedFor(_ value: FoundValue) -> Bool {
        value.state == .live && !value.isStale && !value.isOvertaken && !value.isSoftInvalidated
            && !value.mustNotBeKept && value.timeToLive != .zero
    }

    static func cost(of value: FoundValue, _ key: NearKey) -> Int {
        NearLimits.entryBytes + value.bytes.count + key.key.bytes.count
            + value.tags.reduce(0) { $0 + $1.bytes.count + NearLimits.tagBytes }
            + value.representation.stored.count
    }

    // MARK: Removing

    mutating func remove(_ key: NearKey, _ entry: Entry) {
        entries[key] = nil
        figures.bytes -= entry.cost
        figures.entries -= 1
    }

    /// Removes entries that are too old and, above the byte limit, the oldest ones.
    private mutating func makeRoom(at now: Instant) {
        while let oldest = order.first {
            guard let entry = entries[oldest.key], entry.number == oldest.number else {
                order.removeFirst()
                continue
            }
            if now.elapsed(since: entry.askedAt) >= ageMax {
                figures.expired += 1
            } else if figures.bytes > bytesMax {
                figures.evicted += 1
            } else {
                break
            }
            order.removeFirst()
            remove(oldest.key, entry)
        }
        guard order.count > 2 * entries.count + NearLimits.slack else { return }
        order.removeAll { entries[$0.key]?.number != $0.number }
    }

    mutating func removeAll() {
        figures.dropped += UInt64(entries.count)
        entries.removeAll(keepingCapacity: true)
        order.removeAll(keepingCapacity: true)
        figures.bytes = 0
        figures.entries = 0
    }

    /// By the end of the key, where keys differ. A neighbour's fence costs an answer its place, no
    /// more.
    static func fence(of key: NearKey) -> Int {
        var hash: UInt32 = 0x811c_9dc5
        for byte in key.key.bytes.suffix(NearLimits.fencedBytes) {
            hash = (hash ^ UInt32(byte)) &* 0x0100_0193
        }
        return Int(hash ^ (hash >> 16)) & (NearLimits.fences - 1)
    }
}

/// What a value is kept under.
package struct NearKey: Hashable, Sendable {
    package var namespace: Namespace
    package var key: CacheKey

    package init(_ key: CacheKey, in namespace: Namespace) {
        self.namespace = namespace
        self.key = key
    }
}

/// When a read began, as far as changes made here are concerned. What it finds may be kept only if
/// none of them touched its key since.
package struct NearTicket: Hashable, Sendable {
    let beganAt: Instant
    let fence: UInt32
    let everything: UInt64
}

/// Counters of a near cache since its start.
package struct NearFigures: Hashable, Sendable {
    /// Reads that the near cache answered, and reads that went to a node.
    package var hits: UInt64 = 0
    package var misses: UInt64 = 0
    package var kept: UInt64 = 0
    /// Entries removed because of a record of the log or a change through this gateway.
    package var dropped: UInt64 = 0
    /// Entries removed because of their age.
    package var expired: UInt64 = 0
    /// Entries evicted for lack of capacity.
    package var evicted: UInt64 = 0
    /// Entries and bytes in the cache now.
    package var entries = 0
    package var bytes = 0

    package init() {}
}
