/// One stretch of a load test in which nothing changes.
///
/// Counts and rates are those of one process, all its threads together; ``ThreadShare`` deals them
/// out. Only the keys are shared by the machines that test together.
package struct WorkloadPhase: Hashable, Sendable {
    /// 1 to 64 of `a-z A-Z 0-9 . _ -`; no other phase has it.
    package var name: String
    /// Whether its figures are kept apart from what the test is about.
    package var isWarmUp = false
    /// Whether it stores every key once, in order, and ends then. Mix, distribution, loop, duration
    /// and number of operations then say nothing.
    package var isFill = false
    /// When it ends at the latest; `nil` if only ``operationCount`` ends it.
    package var duration: Duration?
    /// After how many operations it ends at the latest; `nil` if only ``duration`` ends it.
    package var operationCount: Int?
    /// Connections to each shard, all threads together.
    package var connectionCount = 1
    /// Most operations on their way at once, all connections together.
    package var inFlightMax = 64
    /// Most operations in one message.
    package var batch = 1
    package var loop = LoopKind.closed
    package var mix = YCSBWorkload.b.mix
    /// How many keys there are in the beginning, shared by all machines.
    package var keyCount = 1_000_000
    package var distribution = KeyDistribution.zipf(
        exponent: KeyDistribution.standardExponent)
    package var keySize = SizeDistribution.fixed(KeyName.bytesMin)
    package var valueSize = SizeDistribution.fixed(100)
    /// Whether every answer is checked against what it may be.
    package var verifies = false

    package init(name: String) {
        self.name = name
    }

    /// What is asked for in truth: a phase that fills stores and nothing else.
    package var effectiveMix: OperationMix { isFill ? .only(.set) : mix }

    /// In which order or how often: a phase that fills goes through the keys once.
    package var effectiveDistribution: KeyDistribution { isFill ? .sequential : distribution }

    /// How many operations one thread makes of it; `nil` if only the duration ends it.
    package func operationCount(of share: ThreadShare) -> Int? {
        isFill ? share.keys.ownCount(of: keyCount) : operationCount.map { share.part(of: $0) }
    }
}
