import CacheModel
import Foundation
import MartletClient
import Synchronization
import Threading

/// Replays recorded requests as an application with a database behind the cache would: each is a
/// `load`, whose closure stands for the database.
struct TraceReplay {
    private let plan: BenchPlan
    private let requests: [TraceRequest]

    /// Reads the whole trace.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read; a malformed line is named by its number.
    init(_ plan: BenchPlan, path: String) throws {
        self.plan = plan
        do {
            let data =
                path == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data()
                : try Data(contentsOf: URL(fileURLWithPath: path))
            requests = try TraceRequest.parse(data)
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(
                .wrongUsage, "\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    func run() async throws -> BenchReport {
        let client: CacheClient
        do {
            client = try CacheClient(CacheClientConfiguration(endpoints: plan.endpoints))
        } catch {
            throw CommandFailure(.unreachable, error.message)
        }
        let cursor = TraceCursor(count: requests.count)
        let start = MonotonicClock.now
        let tallies = await withTaskGroup(of: TraceTally.self) { group in
            for _ in 0..<plan.concurrency {
                group.addTask { await replay(cursor, client) }
            }
            return await group.reduce(into: TraceTally()) { $0.add($1) }
        }
        let seconds = MonotonicClock.now.elapsed(since: start) / .seconds(1)
        await client.close()
        return tallies.report(
            subject: "\(BenchReport.grouped(UInt64(requests.count))) recorded requests, "
                + "\(plan.concurrency) at once, each a load", seconds: seconds)
    }

    /// Takes the next request, again and again, until none is left.
    private func replay(_ cursor: TraceCursor, _ client: CacheClient) async -> TraceTally {
        var tally = TraceTally()
        while let index = cursor.next() { await load(requests[index], client, &tally) }
        return tally
    }

    private func load(
        _ request: TraceRequest, _ client: CacheClient, _ tally: inout TraceTally
    ) async {
        let wasLoaded = Atomic<Bool>(false)
        let start = MonotonicClock.now
        var options = StoreOptions()
        options.tags = [request.tag]
        let value = Array(repeating: UInt8(ascii: "v"), count: request.valueBytes)
        _ = await client.load(request.key) { [options] _ in
            wasLoaded.store(true, ordering: .relaxed)
            return LoadedValue(value, options: options)
        }
        tally.note(
            isHit: !wasLoaded.load(ordering: .relaxed),
            nanoseconds: MonotonicClock.now.nanoseconds - start.nanoseconds)
    }
}
