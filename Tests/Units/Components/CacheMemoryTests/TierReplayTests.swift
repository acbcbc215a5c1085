import CacheModel
import Foundation
import Testing
import TestSupport

@testable import CacheMemory

/// Miss counts of the prototype in which the policy was found, and of well-known simulators, on a
/// trace of 76 118 requests for 20 484 product pages (Tests/Traces).
@Suite struct TierReplayTests {
    private static let requests: [String] = loadRequests()

    private static let capacities = [205, 2_048]

    /// One and ten percent of the keys.
    @Test(arguments: [
        (EvictionPolicyName.fifo, [48_470, 35_686]),
        (.lru, [46_306, 33_747]), (.clock, [45_796, 33_310]),
        (.sieve, [43_995, 32_025]), (.gdsf, [43_339, 32_337]),
    ])
    func exactPoliciesMissExactlyAsOftenAsElsewhere(
        policy: EvictionPolicyName, expected: [Int]
    ) {
        #expect(Self.capacities.map { Self.misses(policy, capacity: $0) } == expected)
    }

    /// These remember keys by fingerprints of a hash that is drawn for each process.
    @Test(arguments: [
        (EvictionPolicyName.adaptive, [42_527, 31_626], 0.005),
        (.s3fifo, [42_794, 31_805], 0.02),
        (.wtinylfu, [43_052, 32_177], 0.03),
    ])
    func rememberingPoliciesMissAboutAsOftenAsElsewhere(
        policy: EvictionPolicyName, expected: [Int], tolerance: Double
    ) {
        for (capacity, expected) in zip(Self.capacities, expected) {
            let counted = Self.misses(policy, capacity: capacity)
            let deviation = Double(counted) / Double(expected) - 1
            #expect(abs(deviation) < tolerance, "\(capacity): \(counted), not \(expected)")
        }
    }

    private static func misses(_ policy: EvictionPolicyName, capacity: Int) -> Int {
        let replay = TierReplay(.init(policy: policy, weighing: .objects, capacity: capacity))
        for key in requests {
            var key = key
            key.withUTF8 { _ = replay.request(UnsafeRawBufferPointer($0), size: 1) }
        }
        return replay.missCount
    }

    private static func loadRequests() -> [String] {
        let trace = Repository.file("Tests/Traces/web07.csv.gz")
        let gzip = Process()
        let output = Pipe()
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["gzip", "-dc", trace.path]
        gzip.standardOutput = output
        do {
            try gzip.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            gzip.waitUntilExit()
            return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap {
                let fields = $0.split(separator: ",")
                return fields.count == 3 ? String(fields[1]) : nil
            }
        } catch {
            preconditionFailure("the trace cannot be read: \(error)")
        }
    }
}
