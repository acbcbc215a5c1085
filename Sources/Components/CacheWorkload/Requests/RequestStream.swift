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
