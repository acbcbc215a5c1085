import CacheConfiguration
import CacheModel
import CacheWorkload
import CommandSurface
import EssentialFoundation
import LoadTest
import MartletClient
import Synchronization
import Threading

/// Replays recorded requests as an application with a database behind the cache would: each is a
/// `load`, with a closure that stands for the database.
///
/// At once, `--concurrency` at a time; or with `--trace-speed` when they are due, where latency
/// counts from then. Ctrl-C ends it and keeps what was measured.
struct TraceReplay {
    private static let concurrencyDefault = 64

    private let command: BenchCommand
    private let requests: [TraceRequest]
    /// `nil`: at once.
    private let schedule: TraceSchedule?
    private var concurrency: Int { command.pace.concurrency ?? Self.concurrencyDefault }

    /// The results of a replay.
    private struct Harvest: Sendable {
        var tally: TraceTally
        var takenCount: Int
        var startedAt: UInt64
        var nanoseconds: UInt64
        var wasCutShort: Bool
    }

    /// Reads the whole trace.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read; a malformed line is named by its number.
    init(_ command: BenchCommand, path: String) throws {
        self.command = command
        var data = Data()
        try TraceFile.read(path) { data.append(contentsOf: $0) }
        requests = try TraceRequest.parse(data, times: command.traceTime ?? .seconds)
        schedule = command.traceSpeed.map { [requests] in TraceSchedule(requests, speed: $0) }
    }

    func run() async throws -> RunFigures {
        let endpoints = try command.cluster.endpoints
        var configuration = CacheClientConfiguration(endpoints: endpoints)
        configuration.timeout = command.cluster.patience
        configuration.keys = try command.cluster.keys()
        let client: CacheClient
        do {
            client = try CacheClient(configuration)
        } catch {
            throw CommandFailure(error, endpoints: endpoints)
        }
        let (harvests, ended) = AsyncStream<Harvest>.makeStream()
        try await Interruption.ending { ended.yield(await replay(client)) }
        ended.finish()
        await client.close()
        guard let harvest = await harvests.first(where: { _ in true }) else {
            throw CommandFailure(.incomplete, "stopped before anything was asked for")
        }
        return figures(harvest)
    }

    private func replay(_ client: CacheClient) async -> Harvest {
        let cursor = TraceCursor(count: requests.count)
        let startedAt = WallClock.now
        let start = MonotonicClock.now
        let tally = await withTaskGroup(of: TraceTally.self) { group in
            for _ in 0..<concurrency {
                group.addTask { await replay(cursor, client, start) }
            }
            return await group.reduce(into: TraceTally()) { $0.add($1) }
        }
        return Harvest(
            tally: tally, takenCount: cursor.takenCount, startedAt: startedAt,
            nanoseconds: MonotonicClock.now.nanoseconds - start.nanoseconds,
            wasCutShort: Task.isCancelled)
    }

    private func figures(_ harvest: Harvest) -> RunFigures {
        let pace = command.traceSpeed.map { "at \(TraceSpeedText.format($0))" } ?? "at once"
        let subject =
            FigureText.count(UInt64(requests.count), "recorded request")
            + " \(pace), at most \(concurrency) together, each a load"
        var figures = RunFigures(
            title: "martlet bench --trace", version: MartletVersion.text, subject: subject)
        var phase = harvest.tally.phase(
            asked: subject, seconds: Double(harvest.nanoseconds) / 1e9)
        phase.wasCutShort = harvest.wasCutShort
        phase.schedule = schedule?.figures(
            harvest.tally.schedule, takenCount: harvest.takenCount, end: harvest.nanoseconds)
        figures.phases = [phase]
        figures.wasCutShort = harvest.wasCutShort
        // A client has one thread, and of it one connection to each shard.
        var worker = WorkerFigures(machine: .read(), threadCount: 1, connectionCount: 1)
        worker.startedAt = harvest.startedAt
        figures.workers = [worker]
        return figures
    }

    /// Takes the next request, again and again, until none is left.
    private func replay(
        _ cursor: TraceCursor, _ client: CacheClient, _ start: Instant
    ) async -> TraceTally {
        var tally = TraceTally()
        while !Task.isCancelled, let index = cursor.next() {
            var due = MonotonicClock.now
            if let schedule {
                due = Instant(nanoseconds: start.nanoseconds + schedule[index])
                guard await isDue(due) else { break }
                let now = MonotonicClock.now.nanoseconds
                tally.begin(
                    lateness: now - min(now, due.nanoseconds),
                    waitingCount: schedule.dueCount(at: now - start.nanoseconds) - cursor.takenCount
                )
            }
            await load(requests[index], client, (start, due), &tally)
        }
        return tally
    }

    /// Waits for the moment.
    ///
    /// - Returns: whether it has come; not if the replay is cancelled.
    private func isDue(_ moment: Instant) async -> Bool {
        let rest = moment.elapsed(since: MonotonicClock.now)
        guard rest > .zero else { return true }
        do {
            try await Task.sleep(for: rest, tolerance: .zero)
            return true
        } catch {
            return false
        }
    }

    private func load(
        _ request: TraceRequest, _ client: CacheClient, _ times: (start: Instant, due: Instant),
        _ tally: inout TraceTally
    ) async {
        let wasLoaded = Atomic<Bool>(false)
        var options = StoreOptions()
        options.tags = [request.tag]
        let value = Array(repeating: UInt8(ascii: "v"), count: request.valueBytes)
        let answer = await client.load(request.key) { [options] _ in
            wasLoaded.store(true, ordering: .relaxed)
            return LoadedValue(value, options: options)
        }
        // What was cut short says nothing of the cluster.
        if answer.notStored?.code == .cancelled { return }
        let now = MonotonicClock.now
        tally.note(
            .init(wasLoaded: wasLoaded.load(ordering: .relaxed), answer.notStored),
            nanoseconds: now.nanoseconds - min(now.nanoseconds, times.due.nanoseconds),
            second: Int(now.elapsed(since: times.start) / .seconds(1)))
    }
}

extension TraceTally.Outcome {
    /// - Parameter notStored: why a value that was loaded was not stored.
    init(wasLoaded: Bool, _ notStored: CacheError?) {
        if !wasLoaded {
            self = .hit
        } else if let notStored, notStored.refusal != .invalidatedMeanwhile {
            self = .failed(notStored.refusal.map { "\($0)" } ?? "\(notStored.code)")
        } else {
            // One that was invalidated while it was loaded is not kept: that is the promise.
            self = .miss
        }
    }
}

/// Which request of a trace comes next, for workers that share it.
final class TraceCursor: Sendable {
    private let taken = Atomic<Int>(0)
    private let count: Int

    init(count: Int) {
        self.count = count
    }

    /// The next index; `nil` once all are taken.
    func next() -> Int? {
        let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < count ? index : nil
    }

    var takenCount: Int { min(count, taken.load(ordering: .relaxed)) }
}

/// When the requests of a trace are due.
struct TraceSchedule: Sendable {
    /// Nanoseconds from the beginning, never falling.
    private let dues: [UInt64]

    init(_ requests: [TraceRequest], speed: Double) {
        var pace = TracePace(speed: speed, start: Instant(nanoseconds: 0))
        dues = requests.map { pace.due(recordedAt: $0.nanoseconds).nanoseconds }
    }

    subscript(index: Int) -> UInt64 { dues[index] }

    /// How many requests are due at a moment.
    ///
    /// - Parameter moment: nanoseconds from the beginning.
    /// - Complexity: O(log requests).
    func dueCount(at moment: UInt64) -> Int {
        var range = dues.startIndex..<dues.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if dues[middle] <= moment {
                range = (middle + 1)..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    /// What it asked for, once it is over.
    ///
    /// - Parameters:
    ///   - measured: how late requests were, and how many waited.
    ///   - takenCount: how many requests were taken, to be begun when they are due.
    ///   - end: nanoseconds from the beginning.
    func figures(_ measured: ScheduleFigures, takenCount: Int, end: UInt64) -> ScheduleFigures {
        var figures = measured
        let dueCount = dueCount(at: end)
        figures.dueCount = UInt64(dueCount)
        figures.notSentCount = UInt64(max(0, dueCount - takenCount))
        // A stuck worker notes no backlog: requests that were not sent count, too.
        figures.backlogMax = max(figures.backlogMax, figures.notSentCount)
        return figures
    }
}
