import Testing

@Suite struct OriginSchedulerWalkTests {
    @Test(arguments: UInt64(1)...40)
    func everyLoadEndsOnceAndNoOriginSeesMoreThanItMay(seed: UInt64) {
        var walk = SchedulerWalk(seed: seed)
        for _ in 0..<1_000 { walk.step() }
        walk.comeToRest()
        #expect(walk.isQuiet)
    }

    /// A walk that never gets anywhere proves nothing.
    @Test func theWalkMeetsEveryEnd() {
        var ends: [String: Int] = [:]
        for seed: UInt64 in 100..<115 {
            var walk = SchedulerWalk(seed: seed)
            for _ in 0..<1_000 { walk.step() }
            walk.comeToRest()
            ends.merge(walk.ends, uniquingKeysWith: +)
        }
        for end in [
            "reply", "cancelled", "overloaded", "timedOut", "broken", "noOrigin", "unreachable",
            "tooLarge",
        ] {
            #expect(ends[end, default: 0] > 10, "\(end)")
        }
    }
}
