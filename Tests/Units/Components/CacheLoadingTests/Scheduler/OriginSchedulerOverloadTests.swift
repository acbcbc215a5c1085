import CacheLoading
import CacheModel
import Testing

/// A purge of everything, and twenty times as many loads as the origin can serve: what it can
/// serve, it shall.
@Suite struct OriginSchedulerOverloadTests {
    static let characters: [SimulatedOrigin.Character] = [
        .init(description: "that shares fairly"),
        .init(description: "that suffers from a crowd", friction: 0.003),
        .init(description: "that refuses a crowd", refusesAbove: 40),
        .init(description: "that ignores aborts", ignoresAborts: true),
    ]

    static func policy(_ adjust: (inout OriginPolicy) -> Void = { _ in }) -> OriginPolicy {
        var policy = OriginPolicy(url: "http://origin.test/{key}")
        policy.timeout = .seconds(2)
        adjust(&policy)
        return policy
    }

    @Test(arguments: characters)
    func anOverloadedOriginServesAsMuchAsItCan(character: SimulatedOrigin.Character) {
        var world = OverloadWorld(character, policy: Self.policy(), seed: 1)
        // Quiet, then the storm.
        world.run(for: .seconds(1), perSecond: character.perSecond / 2)
        let before = world.good
        world.run(for: .seconds(5), perSecond: character.perSecond * 20)
        let goodput = Double(world.good - before) / (5 * character.perSecond)
        #expect(goodput >= 0.8, "it served \(goodput) of what it can")
        #expect(world.origin.mostAtATime <= 64)
        #expect(world.statistics.opened == 0)

        // It stops. Whatever was asked is answered within the timeout, and nothing is left.
        world.run(for: .seconds(2), perSecond: 0)
        #expect(world.waiting.isEmpty)
        #expect(world.latest == .zero)
        #expect(world.statistics.waiting == 0)
        #expect(world.scheduler.nextDeadline == nil)

        // Nothing of the storm remains: an ordinary load is served whole.
        world.run(for: .seconds(1), perSecond: 0)
        let (good, other) = (world.good, world.other)
        world.run(for: .seconds(3), perSecond: character.perSecond / 2)
        #expect(world.other == other)
        #expect(world.good - good > Int(character.perSecond * 1.2))
    }

    /// Its operator allows far more than it can serve in time. The breaker and the limit find out,
    /// and it serves what it can, after a pause.
    @Test func anOriginThatIsAllowedTooMuchFindsItsLevel() {
        let character = SimulatedOrigin.Character(description: "that shares fairly")
        let policy = Self.policy {
            ($0.concurrencyMax, $0.timeout, $0.breakerPause) = (400, .seconds(1), .seconds(1))
        }
        var world = OverloadWorld(character, policy: policy, seed: 1)
        world.run(for: .seconds(8), perSecond: character.perSecond * 20)
        let before = world.good
        world.run(for: .seconds(4), perSecond: character.perSecond * 20)
        let goodput = Double(world.good - before) / (4 * character.perSecond)
        #expect(goodput >= 0.8, "it served \(goodput) of what it can")
        #expect(world.statistics.opened >= 1)
    }
}
