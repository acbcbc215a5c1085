/// One part of a load test with constant settings.
///
/// Counts and rates are those of one process, all its threads together; ``ThreadShare`` divides
/// them. Only the keys are shared by the machines that test together.
package struct WorkloadPhase: Hashable, Sendable {
    /// 1 to 64 of `a-z A-Z 0-9 . _ -`; unique among the phases.
    package var name: String
    /// Whether its results are reported separately from the measured phases.
    package var isWarmUp = false
    /// Whether it stores every key once, in order, and then ends. Mix, distribution, loop, duration
    /// and number of operations are ignored.
    package var isFill = false
    /// Its longest duration; `nil` if only ``operationCount`` ends it.
    package var duration: Duration?
    /// Its most operations; `nil` if only ``duration`` ends it.
    package var operationCount: Int?
    /// Connections to each shard, all threads together.
    package var connectionCount = 1
    /// Most operations in flight, all connections together.
    package var inFlightMax = 64
    /// Most operations in one message.
    package var batch = 1
    package var loop = LoopKind.closed
    package var mix = YCSBWorkload.b.mix
    /// How many initial keys there are, shared by all machines.
    package var keyCount = 1_000_000
    package var distribution = KeyDistribution.zipf(
        exponent: KeyDistribution.standardExponent)
    package var keySize = SizeDistribution.fixed(KeyName.bytesMin)
    package var valueSize = SizeDistribution.fixed(100)
    /// Whether to verify every answer.
    package var verifies = false

    package init(name: String) {
        self.name = name
    }

    /// The mix in effect: a phase that fills only stores.
    package var effectiveMix: OperationMix { isFill ? .only(.set) : mix }

    /// The distribution in effect: a phase that fills goes through the keys once.
    package var effectiveDistribution: KeyDistribution { isFill ? .sequential : distribution }

    /// How many operations one thread does; `nil` if only the duration ends it.
    package func operationCount(of share: ThreadShare) -> Int? {
        isFill ? share.keys.ownCount(of: keyCount) : operationCount.map { share.part(of: $0) }
    }
}

/// What triggers the next request.
package enum LoopKind: Hashable, Sendable {
    /// An answer: a fixed number of operations is in flight, and the next is due as one ends.
    case closed
    /// The clock: a number of requests each second, whether or not there is capacity.
    case open(perSecond: Int, ArrivalPattern)
}
