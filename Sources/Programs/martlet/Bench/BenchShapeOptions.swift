import ArgumentParser
import CacheConfiguration
import CacheWorkload

/// What a load test asks for.
struct BenchShapeOptions: ParsableArguments {
    @Option(
        help: "Number of different keys. (default: 1000000)",
        transform: BenchText.count(WorkloadLimits.keys))
    var keys: Int?

    @Option(
        help: ArgumentHelp(
            "Lengths of keys: 16B, 16B..64B or 16B:0.9,250B:0.1. (default: 16B)",
            valueName: "sizes"), transform: BenchText.size(WorkloadLimits.keyBytes))
    var keySize: SizeDistribution?

    @Option(
        help: ArgumentHelp(
            "Lengths of values: 100B, 64B..4KiB or 100B:0.9,64KiB:0.1. (default: 100B)",
            valueName: "sizes"), transform: BenchText.size(WorkloadLimits.valueBytes))
    var value: SizeDistribution?

    @Option(
        help: ArgumentHelp(
            """
            Which keys: zipf:EXPONENT, uniform, sequential, hotset:REQUESTS:KEYS or \
            latest:EXPONENT. (default: zipf:0.99)
            """, valueName: "distribution"), transform: KeyDistributionText.parse)
    var distribution: KeyDistribution?

    @Option(
        help: ArgumentHelp(
            "Share of reads, 0 to 1; the others are stores. (default: 0.95)", valueName: "share"),
        transform: BenchText.share)
    var read: Double?

    @Option(
        help: ArgumentHelp(
            """
            Instead of --read: get, set, insert, delete, invalidate, read-modify-write and scan \
            with their weights, such as get:0.9,set:0.08,invalidate:0.02.
            """, valueName: "mix"), transform: BenchText.mix)
    var mix: BenchText.Mix?

    @Option(
        help: ArgumentHelp(
            "Instead: mix and distribution of YCSB's ycsb-a to ycsb-f.", valueName: "name"),
        transform: BenchText.ycsb)
    var workload: YCSBWorkload?

    @Option(help: "Seed of all that is drawn. (default: 1)", transform: BenchText.seed)
    var seed: UInt64?

    func validate() throws {
        let given = [
            ("--read", read != nil), ("--mix", mix != nil), ("--workload", workload != nil),
        ]
        .filter(\.1).map(\.0)
        guard given.count <= 1 else {
            throw ValidationError(
                "\(given.joined(separator: " and ")) both say what is asked for; give one of them")
        }
    }

    /// Sets what was given, and leaves the rest as it is.
    func apply(to phase: inout WorkloadPhase) {
        if let keys { phase.keyCount = keys }
        if let keySize { phase.keySize = keySize }
        if let value { phase.valueSize = value }
        if let read { phase.mix = .reads(read) }
        if let mix {
            phase.mix = mix.mix
            phase.distribution = mix.ycsb?.distribution ?? phase.distribution
        }
        if let workload {
            phase.mix = workload.mix
            phase.distribution = workload.distribution
        }
        if let distribution { phase.distribution = distribution }
    }
}
