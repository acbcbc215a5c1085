import Synchronization
import Testing
import Threading

@Suite struct PulseTests {
    @Test func itIsWholeOnceEverybodyHasAnswered() {
        let count = Atomic<Int>(0)
        let pulse = Pulse(of: 3) { count.wrappingAdd(1, ordering: .relaxed) }
        pulse.beat()
        pulse.beat()
        #expect(count.load(ordering: .relaxed) == 0)
        pulse.beat()
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test func threadsMayAnswerAtTheSameTime() throws {
        for _ in 0..<200 {
            let count = Atomic<Int>(0)
            let pulse = Pulse(of: 4) { count.wrappingAdd(1, ordering: .relaxed) }
            let threads = try (0..<4).map { _ in try OwnedThread(name: "beat") { pulse.beat() } }
            for thread in threads { thread.join() }
            #expect(count.load(ordering: .relaxed) == 1)
        }
    }
}
