public import ByteCoding

/// The requests of one thread in a phase, one after the other, from a seed.
///
///     seed, part ─▶ kind by the mix ─▶ key by the distribution ─▶ sizes by the key
///
/// ### Choice of keys
/// A change goes to a key of the stream's own ``KeyPart``: the nearest one to the key that was
/// drawn. So keys that are hot to read are hot to write. Reads go to all keys, or, under
/// verification, only to the stream's own. With `sequential`, each stream cycles through its own
/// keys: in step over all keys, each would find values that its neighbour has just loaded.
///
/// ### Inserted keys
/// They are numbered after the initial keys, each part's in its own places, so that no two threads
/// or machines insert the same key. `latest` draws from its own part only: a stream does not know
/// which insertions of other streams have happened.
///
/// It belongs to one thread, allocates nothing for a request, and reads no clock. The same phase,
/// part and seed yield the same requests in the same order.
public struct RequestStream: Sendable {
    @usableFromInline package let part: KeyPart
    /// Whether keys are drawn among the part's own, instead of among all keys.
    @usableFromInline package let drawsOwn: Bool
    @usableFromInline package let keyCount: Int
    /// How many of the first `keyCount` keys are its own.
    @usableFromInline package let ownCount: Int
    @usableFromInline package let kinds: [OperationKind]
    @usableFromInline package let choice: WeightedChoice
    @usableFromInline package let keySizes: SizeSampler
    @usableFromInline package let valueSizes: SizeSampler
    @usableFromInline package let scanKeysMax: Int
    @usableFromInline package var random: WorkloadRandom
    @usableFromInline package var keys: KeyGenerator
    /// How many keys it has inserted, including those of earlier phases.
    @usableFromInline package var insertedCount: Int

    /// - Parameters:
    ///   - part: the keys that it changes; at least one of the phase's is in it.
    ///   - insertedCount: how many keys the streams of this part have inserted in phases before.
    package init(
        _ phase: WorkloadPhase, part: KeyPart, seed: UInt64, insertedCount: Int = 0
    ) {
        self.part = part
        self.insertedCount = insertedCount
        keyCount = phase.keyCount
        ownCount = part.ownCount(of: phase.keyCount)
        precondition(ownCount > 0, "every part has a key of its own")
        let mix = phase.effectiveMix
        let distribution = phase.effectiveDistribution
        // The likeliest kind first: a choice takes as many steps as its index.
        let parts = mix.parts.sorted { $0.weight > $1.weight }
        kinds = parts.map(\.kind)
        choice = WeightedChoice(parts.map(\.weight))
        drawsOwn = Self.drawsOwn(phase, distribution, part)
        keys = KeyGenerator(distribution, count: drawsOwn ? ownCount : keyCount)
        keySizes = SizeSampler(phase.keySize, of: .key)
        valueSizes = SizeSampler(phase.valueSize, of: .value)
        scanKeysMax = WorkloadLimits.scanKeysMax
        random = WorkloadRandom(seed: seed, stream: UInt64(part.index))
    }

    private static func drawsOwn(
        _ phase: WorkloadPhase, _ distribution: KeyDistribution, _ part: KeyPart
    ) -> Bool {
        switch distribution {
        case .latest, .sequential: return true
        case .uniform, .zipf, .hotSet: break
        }
        return phase.verifies || phase.isFill || part.count == 1
    }
}

/// Computes the size that belongs to a key: the same in every run and on every machine.
public struct SizeSampler: Sendable {
    /// What the size is for: the lengths of a key and of its value are independent.
    package enum Purpose: UInt64, Sendable { case key = 0x243F_6A88, value = 0x1319_8A2E }

    @usableFromInline package let salt: UInt64
    @usableFromInline package let choice: WeightedChoice
    @usableFromInline package let ranges: [ClosedRange<Int>]
    /// The size, if there is only one.
    @usableFromInline package let fixed: Int?

    package init(_ distribution: SizeDistribution, of purpose: Purpose) {
        salt = StableHash.mix(purpose.rawValue)
        choice = WeightedChoice(distribution.parts.map(\.weight))
        ranges = distribution.parts.map(\.bytes)
        let only = distribution.bytesMin
        fixed = only == distribution.bytesMax ? only : nil
    }

    /// The size, in bytes, for the key of that number.
    @inlinable
    package func bytes(for key: Int) -> Int {
        if let fixed { return fixed }
        let first = StableHash.mix(UInt64(truncatingIfNeeded: key) ^ salt)
        let range = ranges[choice.index(first)]
        let span = UInt64(range.upperBound &- range.lowerBound) &+ 1
        // Another random word: the first one has already chosen this part.
        let second = StableHash.mix(first ^ salt)
        return range.lowerBound &+ Int(second.multipliedFullWidth(by: span).high)
    }
}

extension RequestStream {
    /// The next request. The stream never ends: the phase decides when to stop.
    @inlinable
    package mutating func next() -> WorkloadRequest {
        let kind = kinds[choice.index(random.word())]
        if kind == .insert {
            let place = ownCount + insertedCount
            insertedCount += 1
            return request(kind, first: part.key(at: place), step: 1, count: 1)
        }
        let wanted = kind == .scan ? 1 + random.below(scanKeysMax) : 1
        if drawsOwn {
            let place = keys.draw(&random, insertedCount: insertedCount)
            return request(
                kind, first: part.key(at: place), step: part.count,
                count: min(wanted, ownCount + insertedCount - place))
        }
        let number = kind.changesKey ? changedKey() : keys.draw(&random, insertedCount: 0)
        return request(kind, first: number, step: 1, count: min(wanted, keyCount - number))
    }

    /// A key of its own, where keys are drawn from all.
    @inlinable
    package mutating func changedKey() -> Int {
        part.own(keys.draw(&random, insertedCount: 0), of: keyCount)
    }

    @inlinable
    package func request(
        _ kind: OperationKind, first: Int, step: Int, count: Int
    ) -> WorkloadRequest {
        WorkloadRequest(
            kind, keys: (first, step, count), keyBytes: keySizes.bytes(for: first),
            valueBytes: valueSizes.bytes(for: first))
    }

    /// The length of the key of that number, for the further keys of a scan.
    @inlinable
    package func keyBytes(of number: Int) -> Int { keySizes.bytes(for: number) }

    /// The length of the value of the key of that number.
    @inlinable
    package func valueBytes(of number: Int) -> Int { valueSizes.bytes(for: number) }
}
