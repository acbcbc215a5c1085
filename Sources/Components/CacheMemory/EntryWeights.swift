/// The weight of an entry against the budget and in a policy.
package enum EntryWeighing: String, Sendable {
    /// Its memory: its slot or pages, and a share of the index.
    case memory
    /// The number that the value begins with, four bytes. For comparing policies on traces, where
    /// values are not kept.
    case payload
    /// One. For comparing policies.
    case objects
}

/// Weighs entries for a tier and its policy.
final class EntryWeights {
    /// Bytes charged beyond the slot: the entry's part of a bucket.
    static let indexShareBytes = 8

    let weighing: EntryWeighing
    let space: EntrySpace
    private let hasher: EntryHasher
    private let classes: SizeClasses
    private let pageBytes: Int

    init(_ weighing: EntryWeighing, _ hasher: EntryHasher, _ arena: borrowing SlabArena) {
        self.weighing = weighing
        self.hasher = hasher
        space = arena.space
        classes = arena.classes
        pageBytes = arena.pageBytes
    }

    func weight(of entry: Entry) -> Int {
        switch weighing {
        case .memory: memory(block: entry.blockBytes)
        case .payload: payload(entry.value)
        case .objects: 1
        }
    }

    func hash(of entry: Entry) -> KeyHash { hasher.hash(entry) }

    func weight(of candidate: StoreCandidate) -> Int {
        switch weighing {
        case .memory: memory(block: candidate.blockBytes)
        case .payload: payload(candidate.value)
        case .objects: 1
        }
    }

    private func payload(_ value: UnsafeRawBufferPointer) -> Int {
        value.count < 4 ? 1 : Int(value.loadUnaligned(as: UInt32.self))
    }

    func memory(block: Int) -> Int {
        classes.chargedBytes(block: block, pageBytes: pageBytes) + Self.indexShareBytes
    }
}
