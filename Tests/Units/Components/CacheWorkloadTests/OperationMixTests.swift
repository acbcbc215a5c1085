import CacheWorkload
import Testing

@Suite struct OperationMixTests {
    @Test func sharesAreOfTheSumOfWeights() {
        let mix = OperationMix([.init(.get, weight: 3), .init(.invalidate, weight: 1)])
        #expect(mix.share(of: .get) == 0.75)
        #expect(mix.share(of: .set) == 0)
        #expect(mix.contains(.invalidate) && !mix.contains(.delete))
    }

    @Test func aShareOfReadsLeavesTheRestToSets() {
        #expect(OperationMix.reads(1) == .only(.get))
        #expect(OperationMix.reads(0) == .only(.set))
        #expect(abs(OperationMix.reads(0.95).share(of: .set) - 0.05) < 1e-12)
    }

    /// The table of the paper, where an update is a set.
    @Test func theCoreWorkloadsAreThoseOfYCSB() {
        func shares(_ workload: YCSBWorkload) -> [OperationKind: Double] {
            Dictionary(
                uniqueKeysWithValues: workload.mix.parts.map {
                    ($0.kind, workload.mix.share(of: $0.kind))
                })
        }
        #expect(shares(.a) == [.get: 0.5, .set: 0.5])
        #expect(shares(.b) == [.get: 0.95, .set: 0.05])
        #expect(shares(.c) == [.get: 1])
        #expect(shares(.d) == [.get: 0.95, .insert: 0.05])
        #expect(shares(.e) == [.scan: 0.95, .insert: 0.05])
        #expect(shares(.f) == [.get: 0.5, .readModifyWrite: 0.5])
        for workload in YCSBWorkload.allCases where workload != .d {
            #expect(workload.distribution == .zipf(exponent: 0.99))
        }
        #expect(YCSBWorkload.d.distribution == .latest(exponent: 0.99))
    }

    @Test func aKindIsNamedOnce() async {
        await #expect(processExitsWith: .failure) {
            _ = OperationMix([.init(.get), .init(.get)])
        }
        await #expect(processExitsWith: .failure) { _ = OperationMix([]) }
    }
}
