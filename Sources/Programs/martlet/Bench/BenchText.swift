import CacheConfiguration
import CacheWorkload
import LoadTest

/// What people type after the flags of a load test. Each throws a ``TextProblem`` that says what to
/// type instead.
enum BenchText {
    struct Mix: Hashable {
        var mix: OperationMix
        /// Which of YCSB's it is, if it was named so.
        var ycsb: YCSBWorkload?
    }

    static func keys(_ text: String) throws -> Int {
        try count(text, in: WorkloadLimits.keys)
    }

    static func operations(_ text: String) throws -> Int {
        try count(text, in: WorkloadLimits.operations)
    }

    static func inFlight(_ text: String) throws -> Int {
        try count(text, in: WorkloadLimits.inFlight)
    }

    static func batch(_ text: String) throws -> Int {
        try count(text, in: WorkloadLimits.batch)
    }

    static func threads(_ text: String) throws -> Int {
        try count(text, in: LoadTestLimits.threads)
    }

    static func connections(_ text: String) throws -> Int {
        try count(text, in: WorkloadLimits.connections)
    }

    static func rate(_ text: String) throws -> Int {
        try count(text, in: WorkloadLimits.rate)
    }

    static func invalidations(_ text: String) throws -> Int {
        try count(text, in: LoadTestLimits.invalidationRate)
    }

    private static func count(_ text: String, in range: ClosedRange<Int>) throws -> Int {
        guard let count = Int(text), range.contains(count) else {
            throw TextProblem("give a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return count
    }

    static func duration(_ text: String) throws -> Duration {
        try DurationText.parse(text, in: WorkloadLimits.duration)
    }

    static func spin(_ text: String) throws -> Duration {
        try DurationText.parse(text, in: ConfigurationLimits.spin)
    }

    static func keySize(_ text: String) throws -> SizeDistribution {
        try SizeDistributionText.parse(text, in: WorkloadLimits.keyBytes)
    }

    static func valueSize(_ text: String) throws -> SizeDistribution {
        try SizeDistributionText.parse(text, in: WorkloadLimits.valueBytes)
    }

    static func distribution(_ text: String) throws -> KeyDistribution {
        try KeyDistributionText.parse(text)
    }

    static func traceSpeed(_ text: String) throws -> Double { try TraceSpeedText.parse(text) }

    static func share(_ text: String) throws -> Double {
        guard let share = Double(text), (0...1).contains(share) else {
            throw TextProblem("a share is a number from 0 to 1, such as 0.95")
        }
        return share
    }

    static func seed(_ text: String) throws -> UInt64 {
        guard let seed = UInt64(text) else {
            throw TextProblem("a seed is a whole number from 0 to \(UInt64.max)")
        }
        return seed
    }

    static func mix(_ text: String) throws -> Mix {
        let (mix, ycsb) = try OperationMixText.parse(text)
        return Mix(mix: mix, ycsb: ycsb)
    }

    static func ycsb(_ text: String) throws -> YCSBWorkload {
        let names = YCSBWorkload.allCases.map(\.rawValue)
        if let workload = YCSBWorkload(rawValue: text.lowercased()) { return workload }
        if let workload = YCSBWorkload(rawValue: "ycsb-\(text.lowercased())") { return workload }
        throw TextProblem("give one of \(names.joined(separator: ", "))")
    }
}
