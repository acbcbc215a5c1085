import CacheModel
import Testing

@testable import CacheNodeCore

/// A node ends joined to the leader, whatever the others answered before, and does not hurry.
@Suite struct LeaderHuntTests {
    private typealias Behaviour = PublisherWorld.Behaviour

    private static let a = "a"
    private static let b = "b"
    private static let c = "c"
    /// From the moment at which one publisher leads for good: three heartbeats, and two rounds of
    /// the list.
    private static let bound: Duration = .seconds(5)

    /// What a publisher that does not lead may do among three of which `leader` leads.
    private static func answers(of name: String, leader: String) -> [Behaviour] {
        let other = [a, b, c].first { $0 != name && $0 != leader } ?? name
        return [
            .silent, .names(""), .names(name), .names(other), .names(leader),
            .names(PublisherWorld.unusable), .names("gone"),
        ]
    }

    private func check(
        _ world: inout PublisherWorld, _ story: @autoclosure () -> String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let took = try world.run(for: Self.bound) { $0.isJoined }
        if took == nil {
            Issue.record(
                "not joined within \(Self.bound): \(story())", sourceLocation: sourceLocation)
        }
        expectWithinRate(world.hellos, sourceLocation: sourceLocation)
        let statistics = world.stage.core.statistics
        #expect(statistics.divergences == 0, "\(story())", sourceLocation: sourceLocation)
        #expect(statistics.forgettings <= 1, "\(story())", sourceLocation: sourceLocation)
        #expect(statistics.damagedFrames == 0, "\(story())", sourceLocation: sourceLocation)
    }

    /// All answers of the other two, from the start and after `a` has led before.
    @Test(arguments: [a, b, c], [false, true])
    func theLeaderIsFoundWhateverTheOthersAnswer(leader: String, hadLeader: Bool) throws {
        let others = [Self.a, Self.b, Self.c].filter { $0 != leader }
        for first in Self.answers(of: others[0], leader: leader) {
            for second in Self.answers(of: others[1], leader: leader) {
                var world = try PublisherWorld([Self.a, Self.b, Self.c])
                if hadLeader { world.behaviours[Self.a] = .leads }
                world.start()
                if hadLeader { #expect(try world.run(for: .seconds(1)) { $0.isJoined } != nil) }
                world.behaviours = [leader: .leads, others[0]: first, others[1]: second]
                try check(&world, "\(others[0]) \(first), \(others[1]) \(second)")
            }
        }
    }

    /// What happens to two publishers.
    private enum Event: CaseIterable {
        case aLeads, bLeads, noneLeads, eachNamesTheOther, aDied, bDied, bothAreSilent
        case theLeaderGivesUp
    }

    private static func happen(_ event: Event, in world: inout PublisherWorld) throws {
        switch event {
        case .aLeads: world.behaviours = [a: .leads, b: .names(a)]
        case .bLeads: world.behaviours = [a: .names(b), b: .leads]
        case .noneLeads: world.behaviours = [a: .names(""), b: .names("")]
        case .eachNamesTheOther: world.behaviours = [a: .names(b), b: .names(a)]
        case .aDied: world.behaviours = [a: .silent, b: .names(a)]
        case .bDied: world.behaviours = [a: .names(b), b: .silent]
        case .bothAreSilent: world.behaviours = [a: .silent, b: .silent]
        case .theLeaderGivesUp:
            world.farewell()
            world.behaviours = [a: .names(""), b: .names("")]
        }
        if world.leader != nil { try world.append() }
    }

    /// All courses of three events, then one of the two leads.
    @Test(arguments: [a, b], [false, true])
    func everyCourseOfTwoPublishersEndsAtTheLeader(leader: String, late: Bool) throws {
        for number in 0..<512 {
            let course = [number / 64, number / 8 % 8, number % 8].map { Event.allCases[$0] }
            var world = try PublisherWorld([Self.a, Self.b], seed: UInt64(number))
            world.deliversLate = late
            world.start()
            for event in course {
                try Self.happen(event, in: &world)
                try world.run(for: .milliseconds(700))
            }
            world.behaviours = [Self.a: .names(leader), Self.b: .names(leader)]
            world.behaviours[leader] = .leads
            try world.append()
            try check(&world, "\(course)")
        }
    }

    @Test func aClusterWithoutALeaderCostsTenRequestsASecond() throws {
        var world = try PublisherWorld([Self.a, Self.b, Self.c])
        for name in [Self.a, Self.b, Self.c] { world.behaviours[name] = .names("") }
        world.start()
        try world.run(for: .seconds(60))
        #expect((300...660).contains(world.hellos.count), "\(world.hellos.count)")
        #expect(world.reports.count == 3, "each once: \(world.reports)")
    }

    @Test func aHandOverIsFollowedInMilliseconds() throws {
        var world = try PublisherWorld([Self.a, Self.b])
        world.behaviours = [Self.a: .leads, Self.b: .names(Self.a)]
        world.start()
        try world.run(for: .seconds(2))
        world.farewell()
        world.behaviours = [Self.a: .names(Self.b), Self.b: .leads]
        let took = try #require(try world.run(for: .seconds(5)) { $0.isJoined })
        #expect(took < .milliseconds(20))
    }

    @Test func aLeaderThatDiesIsLeftWithinThreeHeartbeats() throws {
        var world = try PublisherWorld([Self.a, Self.b])
        world.behaviours = [Self.a: .leads, Self.b: .names(Self.a)]
        world.start()
        try world.run(for: .seconds(2))
        world.behaviours = [Self.a: .silent, Self.b: .leads]
        let took = try #require(try world.run(for: .seconds(5)) { $0.isJoined })
        #expect(took <= .milliseconds(1_520))
        #expect(world.stage.core.statistics.forgettings == 1)
        #expect(!world.reports.contains(.suspect), "its lease of three seconds was enough")
    }
}
