import CacheWorkload
import Testing

@Suite struct WorkloadPhaseTests {
    @Test(arguments: [1, 2, 3, 7], [0, 1, 10, 1_000_003])
    func threadsTogetherDoAllOfIt(threads: Int, count: Int) {
        let parts = (0..<threads).map { ThreadShare(thread: $0, of: threads).part(of: count) }
        #expect(parts.reduce(0, +) == count)
        #expect((parts.max() ?? 0) - (parts.min() ?? 0) <= 1)
    }

    @Test func operationsAreDealtOutAndAFillIsEachKeyOnce() {
        var phase = WorkloadPhase(name: "a")
        phase.keyCount = 7
        let share = ThreadShare(thread: 0, of: 2, worker: KeyPart(index: 1, count: 2))
        #expect(phase.operationCount(of: share) == nil)
        phase.operationCount = 5
        #expect(phase.operationCount(of: share) == 3)
        phase.isFill = true
        #expect(phase.operationCount(of: share) == 2)  // Keys 1 and 5.
        #expect(phase.effectiveMix == .only(.set))
        #expect(phase.effectiveDistribution == .sequential)
    }

    @Test func aPhaseBeginsWithWhatCanBeRun() {
        var phase = WorkloadPhase(name: "steady")
        phase.duration = .seconds(10)
        #expect(Workload(phases: [phase]).problems(threadCount: 1, workerCount: 1) == [])
    }

    @Test func phasesHaveSeedsOfTheirOwn() {
        let workload = Workload(phases: [], seed: 9)
        #expect(Set((0..<100).map { workload.seed(of: $0) }).count == 100)
        #expect(workload.seed(of: 0) == 9)
    }
}
