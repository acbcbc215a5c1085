/// What one thread asks for in a phase, request after request, from a seed.
///
///     seed, part ─▶ kind by the mix ─▶ key by the distribution ─▶ sizes by the key
///
/// ### Whose keys
/// Whatever changes a key goes to a key of the stream's own ``KeyPart``: the nearest one to the key
/// that was drawn, so that what is hot to read is hot to write. Reads go to all keys, or, under
/// verification, to the stream's own alone. One after the other, each stream goes round its own:
/// in step over all keys, each would find what its neighbour has just brought in.
///
/// ### Keys that are inserted
/// They are numbered after those of the beginning, each part's in its own places, so that no two
/// threads or machines insert the same. `latest` draws from its own part only: nobody else's
/// insertions are known to have happened.
///
/// It belongs to one thread, allocates nothing for a request, and reads no clock. The same phase,
/// part and seed ask for the same requests in the same order.
public struct RequestStream: Sendable {
    @usableFromInline package let part: KeyPart
    /// Whether keys are drawn as places among the part's own, rather than as numbers of all keys.
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
    /// How many keys it has inserted, those before this phase with them.
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
        // The likeliest first: a choice takes as many steps.
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
