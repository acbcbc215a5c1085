import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

/// A plain get of one key takes a way of its own; what it gives is what the general way gives.
@Suite struct PlainGetTests {
    /// What a read ended with, in words that can be compared.
    private static func words(
        _ body: () async throws(CacheError) -> CachedValue?
    ) async -> String {
        do {
            guard let value = try await body() else { return "nil" }
            return "\(value.bytes.count) bytes, \(sum(value.bytes)), "
                + "\(value.version), \(value.tier), \(value.age), \(value.isStale), "
                + "\(value.isFenced), \(value.position), \(value.node?.name ?? "-"), "
                + "\(String(describing: value.timeToLive)), \(String(describing: value.state))"
        } catch {
            return "\(error), \(error.mayHaveHappened)"
        }
    }

    private static func sum(_ bytes: [UInt8]) -> Int {
        var sum = 0
        for byte in bytes { sum += Int(byte) }
        return sum
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var key = "a"
        var times: [Duration] = [.seconds(5)]
        let prepare: @Sendable (inout ServerScript) -> Void
    }

    private static func answered(_ status: ResultStatus, _ detail: UInt8 = 0) -> Case {
        let isAskedAgain = status == .behind || status == .busy
        return Case(
            testDescription: "\(status), \(detail)",
            times: isAskedAgain ? timesForAnAnswer : [.seconds(5)]
        ) {
            $0.status = status
            $0.detail = detail
        }
    }

    static let cases: [Case] =
        [
            Case(testDescription: "a hit") { _ in },
            Case(testDescription: "a miss", key: "missing") { _ in },
            Case(testDescription: "a value in parts", key: "large") { _ in },
            Case(testDescription: "busy three times") { $0.busyCount = 3 },
            Case(testDescription: "deferred three times") { $0.deferredCount = 3 },
            Case(testDescription: "silent once") { $0.silentCount = 1 },
            Case(testDescription: "silent", times: [.milliseconds(60)]) { $0.silentCount = .max },
            Case(testDescription: "bytes that cannot be read") { $0.garbageCount = 1 },
            Case(testDescription: "a status of the future") { $0.unknownStatusCount = 1 },
            Case(testDescription: "another topology") { $0.topologyVersion = 9 },
            answered(.failed, LoadFailure.timedOut.rawValue),
            answered(.refused, StoreRefusal.absent.rawValue),
        ] + BehindReason.allCases.map { answered(.behind, $0.rawValue) }
        + others.map { answered($0) }

    /// One that is deferred for ever is asked again without a pause; where its time ends is
    /// chance.
    private static let others = ResultStatus.allCases.filter {
        ![.hit, .stale, .deferred].contains($0)
    }

    @Test(arguments: cases)
    func itsResultIsThatOfTheGeneralWay(_ given: Case) async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [7, 8, 9])
            if given.key == "large" {
                _ = try await client.set(Sample.key("large"), to: Sample.pattern(1_500_000))
            }
            let key = Sample.key(given.key)
            // Opens the connection, so that the short way has nothing to hand back.
            _ = try await client.get(key)
            var ways: [String] = []
            for time in given.times {
                ways = try await Self.threeWays(client, key, within: time) {
                    cluster.shards[0].script.withLock { script in
                        script = ServerScript()
                        given.prepare(&script)
                    }
                }
                // An answer may come too late for a deadline where the machine is busy.
                if !ways.contains(where: { $0.hasPrefix("timedOut") }) { break }
            }
            #expect(Set(ways).count == 1, "\(ways)")
        }
    }

    /// What the general way gives, the short way, and the short way on the client's executor.
    private static func threeWays(
        _ client: CacheClient, _ key: CacheKey, within time: Duration, misbehave: () -> Void
    ) async throws -> [String] {
        var options = ReadOptions()
        options.timeout = time
        misbehave()
        let general = await words { () throws(CacheError) in
            try await client.results(for: [key], options: options)[0].get()
        }
        misbehave()
        let ordinary = await words { () throws(CacheError) in
            try await client.get(key, options: options)
        }
        misbehave()
        let onExecutor = await Task(executorPreference: client.executor) { [options] in
            await words { () throws(CacheError) in
                try await client.get(key, options: options)
            }
        }.value
        return [general, ordinary, onExecutor]
    }

    @Test func nothingIsAskedForATaskThatIsCancelledAlready() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.get(Sample.key("a"))
            let before = cluster.shards[0].operationCount(.get)
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return await failure { () throws(CacheError) in
                    try await client.get(Sample.key("a"))
                }
            }
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            #expect(cluster.shards[0].operationCount(.get) == before)
        }
    }

    @Test(arguments: [true, false])
    func aGetThatIsOnItsWayIsCancelledAtOnce(onExecutor: Bool) async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.get(Sample.key("a"))
            cluster.shards[0].script.withLock {
                $0.seen = []
                $0.silentCount = .max
            }
            let task = Task(executorPreference: onExecutor ? client.executor : nil) {
                await failure { () throws(CacheError) in try await client.get(Sample.key("a")) }
            }
            while cluster.shards[0].operationCount(.get) == 0 { await Task.yield() }
            task.cancel()
            let error = await task.value
            #expect(error?.code == .cancelled && error?.mayHaveHappened == false)
            // The client goes on as if nothing had been.
            cluster.shards[0].script.withLock { $0.silentCount = 0 }
            #expect(try await client.get(Sample.key("a")) == nil)
        }
    }

    /// Cancelled at any moment, hundreds of them: before, while and after they are handed in.
    @Test func aCancelledGetAlwaysComesBack() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.get(Sample.key("a"))
            cluster.shards[0].script.withLock { $0.silentCount = .max }
            for executor in [nil, client.executor] {
                let tasks = (0..<500).map { number in
                    Task(executorPreference: executor) {
                        await failure { () throws(CacheError) in
                            try await client.get(Sample.key("k\(number)"))
                        }
                    }
                }
                for task in tasks { task.cancel() }
                for task in tasks { #expect(await task.value?.code == .cancelled) }
            }
        }
    }

    @Test func closingEndsGetsWhereverTheyAre() async throws {
        let cluster = try ScriptedCluster()
        let client = try CacheClient(
            CacheClientConfiguration(endpoints: [cluster.publisher.endpoint]))
        _ = try await client.get(Sample.key("a"))
        cluster.shards[0].script.withLock { $0.silentCount = .max }
        // More than may be on their way at once: the others wait for room.
        let tasks = (0..<10_000).map { number in
            Task {
                await failure { () throws(CacheError) in
                    try await client.get(Sample.key("k\(number)"))
                }
            }
        }
        while cluster.shards[0].operationCount(.get) < 500 { await Task.yield() }
        await client.close()
        for task in tasks { #expect(await task.value?.code == .closed) }
    }

    @Test func namespacesDoNotMixInOneMessage() async throws {
        let cluster = try ScriptedCluster()
        let rooms = (0..<7).compactMap { Namespace("room\($0)") }
        try await cluster.withClient { client in
            for (number, room) in rooms.enumerated() {
                _ = try await client.set(Sample.key("a"), to: [UInt8(number)], in: room)
            }
            // More kinds at once than have a message being filled: some are handed back.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<700 {
                    group.addTask(executorPreference: client.executor) {
                        let value = try await client.get(Sample.key("a"), in: rooms[number % 7])
                        #expect(value?.bytes == [UInt8(number % 7)])
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func whatASessionHasWrittenIsDemandedOfItsNextGet() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.get(Sample.key("a"))
            let position = try await client.delete([Sample.key("a")])
            _ = try await client.get(Sample.key("a"))
            let last = cluster.shards[0].script.withLock { $0.seen.last { $0.type == .get } }
            #expect(last?.atLeast == position && position != .none)
        }
    }

    @Test func manyGetsOnTheExecutorTravelInFewMessages() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.get(Sample.key("a"))
            cluster.shards[0].script.withLock { $0.seen = [] }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<256 {
                    group.addTask(executorPreference: client.executor) {
                        for number in 0..<20 {
                            _ = try await client.get(Sample.key("k\(task)-\(number)"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let gets = cluster.shards[0].script.withLock { $0.seen.filter { $0.type == .get } }
            // Where the machine pauses for an attempt's time, some are asked for again.
            #expect(gets.map(\.count).reduce(0, +) >= 5_120)
            #expect(gets.allSatisfy { $0.count <= 128 })
            #expect(gets.count < 1_000, "tasks that are ready together share a message")
        }
    }
}
