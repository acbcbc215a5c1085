import CacheLoading
import CacheModel
import TestSupport
import Testing

@testable import CacheNodeCore

/// Queued writes whose keys get other owners: docs/decisions/0122.
@Suite struct MovingWritesTests {
    private static let seedCount = 20

    /// Any order of moves, deaths, gaps, lost answers and an origin that comes and goes.
    @Test(arguments: 0..<8)
    func noAcceptedWriteIsLostOrReachesTheOriginAfterANewerOne(part: Int) throws {
        var forwarded = 0
        for seed in 0..<Self.seedCount {
            let number = UInt64(part * Self.seedCount + seed)
            var world = try MovingWritesWorld(seed: number, troubles: 4 + seed % 12)
            for step in 0..<300 {
                world.step()
                if let complaint = world.complaint(atEnd: false) {
                    Issue.record(
                        "seed \(number), step \(step): \(complaint)\n\(Self.story(world))")
                    return
                }
            }
            let hasHealed = world.heal()
            #expect(hasHealed, "seed \(number): something waits for ever")
            if let complaint = world.complaint(atEnd: true) {
                Issue.record("seed \(number): \(complaint)\n\(Self.story(world))")
                return
            }
            forwarded += world.forwardedCount
        }
        #expect(forwarded > 0)
    }

    private static func story(_ world: MovingWritesWorld) -> String {
        world.trace.joined(separator: "\n")
    }
}
