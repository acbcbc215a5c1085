import CMeasure
import CacheModel
import MartletClient
import Synchronization
import TestSupport

/// Many tasks that get one key after another.
struct Workers {
    enum Place: String, CaseIterable {
        /// On the client's own thread.
        case executor
        /// On Swift's threads, as a task is if nothing is said.
        case ordinary
    }

    /// What they did in the middle of their time.
    struct Figures {
        var gets = 0
        var nanoseconds: UInt64 = 0
        /// Of all threads of this process.
        var processorNanoseconds: UInt64 = 0
        var allocations: UInt64 = 0

        var perSecond: Double { Double(gets) * 1e9 / Double(nanoseconds) }
        var processorNanosecondsEach: Double { Double(processorNanoseconds) / Double(gets) }
        var allocationsEach: Double { Double(allocations) / Double(gets) }
    }

    let client: CacheClient
    let keys: [CacheKey]
    let place: Place
    let taskCount: Int

    /// What the tasks share with who measures them.
    private final class Board: Sendable {
        let isRunning = Atomic<Bool>(true)
        let gets = Atomic<Int>(0)
    }

    /// Lets them run, and measures after a first part of the time.
    func run(seconds: Double) async throws -> Figures {
        let board = Board()
        let preference: (any TaskExecutor)? = place == .executor ? client.executor : nil
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<taskCount {
                group.addTask(executorPreference: preference) { [client, keys] in
                    try await Self.work(client, keys, from: number &* 7_919, board)
                }
            }
            await Time.pass(seconds: seconds / 4)
            let begin = Reading(board.gets)
            await Time.pass(seconds: seconds)
            let end = Reading(board.gets)
            board.isRunning.store(false, ordering: .relaxed)
            try await group.waitForAll()
            return end - begin
        }
    }

    private static func work(
        _ client: CacheClient, _ keys: [CacheKey], from start: Int, _ board: Board
    ) async throws {
        var next = start % keys.count
        var done = 0
        while board.isRunning.load(ordering: .relaxed) {
            guard try await client.get(keys[next]) != nil else { throw GaveUp("a key is missing") }
            next += 1
            if next == keys.count { next = 0 }
            done += 1
            if done == 16 {
                board.gets.wrappingAdd(done, ordering: .relaxed)
                done = 0
            }
        }
    }

    private struct Reading {
        let gets: Int
        let moment = ContinuousClock.now
        let processor = measure_process_nanoseconds()
        let allocations = measure_all_allocations()

        init(_ gets: borrowing Atomic<Int>) { self.gets = gets.load(ordering: .relaxed) }

        static func - (end: Reading, begin: Reading) -> Figures {
            let elapsed = (end.moment - begin.moment).components
            return Figures(
                gets: end.gets - begin.gets,
                nanoseconds: UInt64(elapsed.seconds) * 1_000_000_000
                    + UInt64(elapsed.attoseconds / 1_000_000_000),
                processorNanoseconds: end.processor - begin.processor,
                allocations: end.allocations - begin.allocations)
        }
    }
}
