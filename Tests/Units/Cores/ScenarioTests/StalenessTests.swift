import CacheModel
import CacheWire
import Testing

/// What may be served though it is old, and what must not.
@Suite struct StalenessTests {
    /// Scenario 41: while nobody can say what is fresh, and before, too.
    @Test("A hard-purged entry is never served; a soft-purged one only within its stale window")
    func onlySoftPurgedEntriesAreServedStale() {
        let stage = Stage()
        for key in ["hard", "soft"] { stage.load(0, key, "old") }
        stage.invalidate(.key("hard"))
        stage.invalidate(.key("soft"), strength: .soft)
        let expect = { (hard: ResultStatus, soft: ResultStatus) in
            #expect(stage.get(0, "hard", .allowStale)?.status == hard)
            #expect(stage.get(0, "soft", .allowStale)?.status == soft)
            #expect(stage.get(0, "soft")?.status == .miss, "only who allows it is shown it")
        }
        expect(.miss, .stale)
        stage.nodes[0].live = .cut
        stage.nodes[0].toNode = .cut
        stage.advance(.milliseconds(3_100))
        #expect(stage.nodes[0].state == .suspect)
        expect(.miss, .stale)
        stage.advance(stage.policy.staleWindow)
        expect(.miss, .miss)
    }

    /// Scenario 34: an entry that is read all the time ends like any other.
    @Test func readingDoesNotLengthenALife() {
        let stage = Stage()
        _ = stage.set(0, "a", "one", .init(timeToLive: 2_000))
        for _ in 0..<19 {
            stage.advance(.milliseconds(100))
            #expect(stage.get(0, "a")?.status == .hit)
        }
        stage.advance(.milliseconds(200))
        #expect(stage.get(0, "a")?.status == .miss)
    }
}
