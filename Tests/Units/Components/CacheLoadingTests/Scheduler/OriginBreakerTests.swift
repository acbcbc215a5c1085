import CacheModel
import Testing

@testable import CacheLoading

@Suite struct OriginBreakerTests {
    static let good = AttemptVerdict(of: .answered(status: 200))
    static let refused = AttemptVerdict(of: .answered(status: 404))
    static let crowded = AttemptVerdict(of: .answered(status: 429))
    static let failing = AttemptVerdict(of: .answered(status: 500))
    static let unreachable = AttemptVerdict(of: .failed(.unreachable))

    /// A breaker and its time.
    struct Story {
        var breaker = OriginBreaker()
        var jitter = Jitter(seed: 7)
        var now = Instant(nanoseconds: 50_000_000_000)

        mutating func hear(_ verdict: AttemptVerdict) -> OriginBreaker.Change? {
            breaker.heard(verdict, now: now, pause: .seconds(5), &jitter)
        }

        mutating func hear(_ count: Int, _ verdict: AttemptVerdict) -> [OriginBreaker.Change] {
            (0..<count).compactMap { _ in hear(verdict) }
        }

        mutating func wait(_ duration: Duration) { now = now.advanced(by: duration) }

        /// Lets the pause pass.
        mutating func halfOpen() {
            wait(breaker.pauseLeft(now: now) ?? .zero)
            _ = breaker.refusal(now: now)
        }

        var pauseSeconds: Double {
            Double(breaker.pauseLeft(now: now)?.wholeMilliseconds ?? 0) / 1_000
        }
    }

    /// Good first, then failures: how many failures open it.
    @Test(arguments: [(0, 10), (1, 9), (4, 6), (5, 5), (6, 6), (20, 20), (100, 100)])
    func halfOfAtLeastTenFailuresOpensIt(good: Int, failures: Int) {
        var story = Story()
        let before = story.hear(good, Self.good) + story.hear(failures - 1, Self.failing)
        let last = story.hear(Self.failing)
        #expect(before == [])
        #expect(last == .opened)
    }

    @Test func failuresOfLongAgoDoNotCount() {
        var story = Story()
        var changes: [OriginBreaker.Change] = []
        for _ in 0..<100 {
            changes += story.hear(1, Self.failing)
            story.wait(.milliseconds(1_200))
        }
        #expect(changes == [])
    }

    @Test func aNoAndACrowdAreNoFailures() {
        var story = Story()
        let changes =
            story.hear(100, Self.refused) + story.hear(99, Self.failing)
            + story.hear(500, Self.crowded)
        #expect(changes == [])
    }

    @Test func fiveConsecutiveUnreachableAttemptsOpenTheBreakerOverAnyTime() {
        var story = Story()
        var changes: [OriginBreaker.Change] = []
        for _ in 0..<5 {
            story.wait(.seconds(60))
            changes += story.hear(1, Self.unreachable)
        }
        #expect(changes == [.opened])
    }

    @Test(arguments: [good, crowded, failing])
    func anythingInBetweenBreaksTheRow(verdict: AttemptVerdict) {
        var story = Story()
        var changes: [OriginBreaker.Change] = []
        for _ in 0..<10 {
            changes += story.hear(4, Self.unreachable)
            story.wait(.seconds(20))
            changes += story.hear(1, verdict)
        }
        #expect(changes == [])
    }

    @Test(arguments: UInt64(1)...50)
    func itsPauseVariesByATenth(seed: UInt64) {
        var story = Story()
        story.jitter = Jitter(seed: seed)
        _ = story.hear(5, Self.unreachable)
        #expect((4.5...5.5).contains(story.pauseSeconds))
    }

    @Test func threeGoodProbesInARowCloseIt() {
        var story = Story()
        _ = story.hear(5, Self.unreachable)
        story.halfOpen()
        let first = story.hear(2, Self.good) + story.hear(1, Self.crowded)
        let last = story.hear(Self.good)
        #expect(first == [])
        #expect(last == .closed)
        #expect(story.breaker.isClosed)
    }

    @Test func oneProbeAtATime() {
        var story = Story()
        _ = story.hear(5, Self.unreachable)
        story.halfOpen()
        let free = story.breaker.refusal(now: story.now)
        story.breaker.started(AttemptNumber(9))
        let taken = story.breaker.refusal(now: story.now)
        story.breaker.landed(AttemptNumber(8))
        let stillTaken = story.breaker.refusal(now: story.now)
        story.breaker.landed(AttemptNumber(9))
        let freeAgain = story.breaker.refusal(now: story.now)
        #expect(free == nil)
        #expect(taken == OriginSchedulerLimits.retryAfterMin)
        #expect(stillTaken == OriginSchedulerLimits.retryAfterMin)
        #expect(freeAgain == nil)
    }

    @Test func anOriginThatFailsSoonAfterRecoveryGetsALongerPause() {
        var story = Story()
        _ = story.hear(5, Self.unreachable)
        story.halfOpen()
        _ = story.hear(3, Self.good)
        story.wait(.milliseconds(9_999))
        _ = story.hear(5, Self.unreachable)
        #expect((9...11).contains(story.pauseSeconds))
        story.halfOpen()
        _ = story.hear(3, Self.good)
        story.wait(.seconds(10))
        _ = story.hear(5, Self.unreachable)
        #expect((4.5...5.5).contains(story.pauseSeconds))
    }

    @Test func whatIsHeardWhileItIsOpenChangesNothing() {
        var story = Story()
        _ = story.hear(5, Self.unreachable)
        let before = story.breaker.state
        let changes = story.hear(50, Self.good) + story.hear(50, Self.unreachable)
        #expect(changes == [])
        #expect(story.breaker.state == before)
    }
}
