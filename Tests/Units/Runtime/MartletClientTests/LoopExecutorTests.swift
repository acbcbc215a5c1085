import CacheWire
import MartletClient
import Testing
import Threading

@Suite struct LoopExecutorTests {
    @Test func tasksThatPreferItRunOnTheClientsOwnThread() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            _ = try await client.set(Sample.key("a"), to: [1])
            let marks = try await Task(executorPreference: client.executor) {
                var marks = [ThreadMark.current]
                for _ in 0..<20 {
                    let value = try await client.get(Sample.key("a"))
                    #expect(value?.bytes == [1])
                    marks.append(ThreadMark.current)
                    await Task.yield()
                    marks.append(ThreadMark.current)
                }
                await withTaskGroup(of: ThreadMark.self) { group in
                    for _ in 0..<10 { group.addTask { ThreadMark.current } }
                    for await mark in group { marks.append(mark) }
                }
                return marks
            }.value
            #expect(Set(marks).count == 1 && marks.count == 51)
        }
    }

    @Test func aTaskThatHopsAwayComesBack() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let elsewhere = Pinned()
            try await Task(executorPreference: client.executor) {
                let home = ThreadMark.current
                for _ in 0..<20 {
                    #expect(await elsewhere.mark() != home)
                    #expect(ThreadMark.current == home)
                    _ = try await client.get(Sample.key("a"))
                    #expect(ThreadMark.current == home)
                }
            }.value
        }
    }

    @Test func anActorWithoutAnExecutorOfItsOwnRunsThereToo() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let actor = Plain()
            let ordinary = await actor.mark()
            let (home, inside) = await Task(executorPreference: client.executor) {
                (ThreadMark.current, await actor.mark())
            }.value
            #expect(inside == home && ordinary != home)
        }
    }

    @Test func tasksThatOnlyYieldLeaveTheSocketsTheirTurn() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let isRunning = Guarded(true)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask(executorPreference: client.executor) {
                        while isRunning.withLock({ $0 }) { await Task.yield() }
                    }
                }
                for number in 0..<20 { _ = try await client.get(Sample.key("k\(number)")) }
                isRunning.withLock { $0 = false }
                try await group.waitForAll()
            }
        }
    }

    @Test func closingLeavesNoTaskOfItsExecutorHanging() async throws {
        let cluster = try ScriptedCluster()
        cluster.shards[0].script.withLock { $0.silentCount = .max }
        let client = try CacheClient(
            CacheClientConfiguration(endpoints: [cluster.publisher.endpoint]))
        let ended = Counter()
        let tasks = (0..<300).map { number in
            Task(executorPreference: client.executor) {
                while await failure(of: { () throws(CacheError) in
                    try await client.get(Sample.key("k\(number)"))
                })?.code != .closed {}
                ended.increment()
            }
        }
        let yielding = Task(executorPreference: client.executor) {
            while ended.value < 300 { await Task.yield() }
        }
        while cluster.shards[0].operationCount(.get) == 0 { await Task.yield() }
        // From a task of the executor itself, too.
        await Task(executorPreference: client.executor) { await client.close() }.value
        for task in tasks { await task.value }
        await yielding.value
        #expect(ended.value == 300)
    }

    @Test func afterTheEndTasksGoOnElsewhere() async throws {
        let cluster = try ScriptedCluster()
        let executor = try await cluster.withClient { $0.executor }
        let sum = await Task(executorPreference: executor) {
            await withTaskGroup(of: Int.self) { group in
                for number in 1...100 { group.addTask { number } }
                return await group.reduce(0, +)
            }
        }.value
        #expect(sum == 5_050)
    }

    @Test func aClientThatIsLetGoOfLeavesNoTaskHanging() async throws {
        let cluster = try ScriptedCluster()
        var client: CacheClient? = try CacheClient(
            CacheClientConfiguration(endpoints: [cluster.publisher.endpoint]))
        let executor = try #require(client?.executor)
        let task = Task(executorPreference: executor) { [client] in
            try await client?.get(Sample.key("a"))
        }
        client = nil
        let value = try await task.value
        #expect(value == nil)
        await Task(executorPreference: executor) { await Task.yield() }.value
    }
}

/// An actor as most are.
private actor Plain {
    func mark() -> ThreadMark { ThreadMark.current }
}

/// An actor that runs where detached tasks do, so that who calls it must hop.
private actor Pinned {
    private final class Detached: SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Task.detached { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    private let executor = Detached()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func mark() -> ThreadMark { ThreadMark.current }
}
