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

    static func count(
        _ range: ClosedRange<Int>
    ) -> @Sendable (_ text: String) throws -> Int {
        { text in
            guard let count = Int(text), range.contains(count) else {
                throw TextProblem(
                    "give a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return count
        }
    }

    static func duration(
        _ range: ClosedRange<Duration>
    ) -> @Sendable (_ text: String) throws -> Duration {
        { try DurationText.parse($0, in: range) }
    }

    static func size(
        _ range: ClosedRange<Int>
    ) -> @Sendable (_ text: String) throws -> SizeDistribution {
        { try SizeDistributionText.parse($0, in: range) }
    }

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
