import CacheLoading
import CacheModel
import CacheOrigin
import TestSupport
import Threading
import Testing

/// The promises of ``HTTPOrigin``.
@Suite(.timeLimit(.minutes(3))) struct OriginConformance {
    @Test(arguments: [0, 1, 999, 1_000])
    func aValueComesWhole(count: Int) async throws {
        try await ScriptedOrigin.with { origin, url in
            let outcome = await origin.outcome(of: try .test("bytes-\(count)", from: url))
            #expect(outcome.reply?.status == 200)
            #expect(outcome.reply?.body == Array(repeating: 0, count: count))
            await origin.shutDown()
        }
    }

    @Test(arguments: [1_001, 5_000_000])
    func aValuePastTheBoundDoesNotCome(count: Int) async throws {
        try await ScriptedOrigin.with { origin, url in
            let outcome = await origin.outcome(of: try .test("bytes-\(count)", from: url))
            #expect(outcome == .failed(.tooLarge))
            await origin.shutDown()
        }
    }

    @Test(arguments: [("absent", 404), ("busy", 503)])
    func anAnswerThatIsNoValueComesWithoutABody(
        scenario: (key: String, status: Int)
    ) async throws {
        try await ScriptedOrigin.with { origin, url in
            let request = try OriginRequest.test(scenario.key, from: url, valueBytesMax: 1)
            let outcome = await origin.outcome(of: request)
            #expect(outcome.reply?.status == scenario.status)
            #expect(outcome.reply?.body == [])
            await origin.shutDown()
        }
    }

    private static func write(
        _ key: String, _ change: OriginWrite.Change, from url: String
    ) throws -> OriginRequest {
        var request = try OriginRequest.test(key, from: url)
        request.write = OriginWrite(
            namespace: .default, key: request.key, change: change,
            name: OperationID(high: 1, low: 2))
        return request
    }

    @Test(
        arguments: [OriginWrite.Change.put(Array("new".utf8)), .delete])
    func aWriteArrivesUnderItsName(change: OriginWrite.Change) async throws {
        try await ScriptedOrigin.with { origin, url in
            let outcome = await origin.outcome(of: try Self.write("takes", change, from: url))
            #expect((200...299).contains(outcome.reply?.status ?? 0))
            #expect(outcome.reply?.body == [])
            await origin.shutDown()
        }
    }

    @Test
    func aWriteThatIsRefusedComesBackWithTheOriginsWords() async throws {
        try await ScriptedOrigin.with { origin, url in
            let request = try Self.write("refuses", .put(Array("new".utf8)), from: url)
            let outcome = await origin.outcome(of: request)
            #expect(outcome.reply?.status == 422)
            #expect(outcome.reply?.body == Array("too old".utf8))
            await origin.shutDown()
        }
    }

    @Test
    func elapsedIsTheTimeThatPassed() async throws {
        try await ScriptedOrigin.with { origin, url in
            let before = ContinuousClock.now
            let outcome = await origin.outcome(of: try .test("bytes-1", from: url))
            let passed = before.duration(to: .now)
            let elapsed = try #require(outcome.reply?.elapsed)
            #expect(elapsed > .zero && elapsed <= passed)
            await origin.shutDown()
        }
    }

    @Test
    func aTimeoutEndsAnAttemptAndNotBefore() async throws {
        try await ScriptedOrigin.with { origin, url in
            let before = ContinuousClock.now
            let timeout = Duration.milliseconds(150)
            let outcome = await origin.outcome(of: try .test("hang", from: url, timeout: timeout))
            let passed = before.duration(to: .now)
            #expect(outcome == .failed(.timedOut))
            #expect(passed >= timeout && passed < .seconds(10))
            await origin.shutDown()
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func noTimeIsATimeout(timeout: Duration) async throws {
        try await ScriptedOrigin.with { origin, url in
            let outcome = await origin.outcome(
                of: try .test("bytes-1", from: url, timeout: timeout))
            #expect(outcome == .failed(.timedOut))
            await origin.shutDown()
        }
    }

    @Test
    func anAbortEndsAnAttemptAtOnceAndOnce() async throws {
        try await ScriptedOrigin.with { origin, url in
            let outcomes = Guarded<[AttemptOutcome]>([])
            let attempt = origin.begin(try .test("hang", from: url)) { outcome in
                outcomes.withLock { $0.append(outcome) }
            }
            attempt.abort()
            #expect(outcomes.withLock { $0 } == [.failed(.cancelled)])
            attempt.abort()
            await origin.shutDown(grace: .seconds(5))
            #expect(outcomes.withLock { $0 } == [.failed(.cancelled)])
        }
    }

    @Test
    func anAbortAfterTheEndChangesNothing() async throws {
        try await ScriptedOrigin.with { origin, url in
            let request = try OriginRequest.test("bytes-1", from: url)
            let attempt = Guarded<Attempt?>(nil)
            let outcome = await withCheckedContinuation { continuation in
                let begun = origin.begin(request) { continuation.resume(returning: $0) }
                attempt.withLock { $0 = begun }
            }
            attempt.withLock { $0 }?.abort()
            #expect(outcome.reply?.status == 200)
            let next = await origin.outcome(of: request)
            #expect(next.reply?.status == 200)
            await origin.shutDown()
        }
    }

    @Test
    func afterAShutdownNothingBegins() async throws {
        try await ScriptedOrigin.with { origin, url in
            await origin.shutDown()
            let outcome = await origin.outcome(of: try .test("bytes-1", from: url))
            #expect(outcome == .failed(.cancelled))
            await origin.shutDown()
        }
    }

    @Test
    func aShutdownLetsWhatIsUnderWayEnd() async throws {
        try await ScriptedOrigin.with { origin, url in
            let requests = try (0..<20).map { try OriginRequest.test("bytes-\($0)", from: url) }
            let order = Guarded<[String]>([])
            for request in requests {
                origin.begin(request) { outcome in
                    order.withLock { $0.append("\(outcome.reply?.status ?? 0)") }
                }
            }
            await origin.shutDown(grace: .seconds(20))
            #expect(order.withLock { $0 } == Array(repeating: "200", count: 20))
        }
    }

    @Test
    func aShutdownAbortsWhatDoesNotEnd() async throws {
        try await ScriptedOrigin.with { origin, url in
            let outcomes = Guarded<[AttemptOutcome]>([])
            for _ in 0..<5 {
                origin.begin(try .test("hang", from: url, timeout: .seconds(60))) { outcome in
                    outcomes.withLock { $0.append(outcome) }
                }
            }
            let before = ContinuousClock.now
            async let first: Void = origin.shutDown(grace: .milliseconds(100))
            async let second: Void = origin.shutDown(grace: .seconds(50))
            _ = await (first, second)
            #expect(outcomes.withLock { $0 } == Array(repeating: .failed(.cancelled), count: 5))
            #expect(before.duration(to: .now) >= .milliseconds(100))
            #expect(before.duration(to: .now) < .seconds(10))
        }
    }

    @Test
    func everyRaceHasOneOutcome() async throws {
        try await ScriptedOrigin.with { origin, url in
            let rounds = 4_000
            let tally = Tally(rounds: rounds)
            var generator = SeededGenerator(seed: 4_711)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<rounds {
                    let round = try Round(of: url, using: &generator)
                    if number >= 48 { try await group.next() }
                    if number == rounds - rounds / 10 {
                        origin.shutDown(grace: .milliseconds(5)) {}
                    }
                    group.addTask {
                        await round.run(on: origin) { tally.count($0, of: number) }
                    }
                }
            }
            await origin.shutDown()
            #expect(tally.counts == Array(repeating: 1, count: rounds))
            let words = tally.words
            #expect(words["answered", default: 0] > 0, "\(words)")
            #expect(words["cancelled", default: 0] > 0, "\(words)")
            #expect(words["timedOut", default: 0] > 0, "\(words)")
        }
    }
}

/// How often each round of a race ended, and with what.
private final class Tally: Sendable {
    private let state: Guarded<(counts: [Int], words: [String: Int])>

    init(rounds: Int) {
        state = Guarded((Array(repeating: 0, count: rounds), [:]))
    }

    var counts: [Int] { state.withLock { $0.counts } }
    var words: [String: Int] { state.withLock { $0.words } }

    func count(_ outcome: AttemptOutcome, of round: Int) {
        state.withLock { state in
            state.counts[round] += 1
            state.words[outcome.failure.map { "\($0)" } ?? "answered", default: 0] += 1
        }
    }
}

/// One attempt that something may cut short.
private struct Round: Sendable {
    private let request: OriginRequest
    private let isAborted: Bool
    private let yields: Int

    init(of url: String, using generator: inout SeededGenerator) throws {
        let keys = ["bytes-0", "bytes-100", "bytes-2000", "absent", "hang"]
        let key = keys.randomElement(using: &generator) ?? "hang"
        let timeouts: [Duration] = [
            .microseconds(50), .milliseconds(1), .milliseconds(20), .seconds(20), .seconds(20),
        ]
        let timeout = timeouts.randomElement(using: &generator) ?? .zero
        isAborted = Int.random(in: 0..<3, using: &generator) == 0
        yields = Int.random(in: 0...200, using: &generator)
        let isEndless = key == "hang" && !isAborted
        request = try .test(key, from: url, timeout: isEndless ? .milliseconds(20) : timeout)
    }

    /// Returns after the first outcome.
    func run(
        on origin: HTTPOrigin, whenDone: @escaping @Sendable (AttemptOutcome) -> Void
    ) async {
        let (outcomes, sink) = AsyncStream<Void>.makeStream()
        let attempt = origin.begin(request) { outcome in
            whenDone(outcome)
            sink.yield()
        }
        for _ in 0..<yields { await Task.yield() }
        if isAborted { attempt.abort() }
        for await _ in outcomes { return }
    }
}
