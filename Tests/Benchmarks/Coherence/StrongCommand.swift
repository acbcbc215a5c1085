import ArgumentParser
import CacheModel
import MartletClient
import TestSupport

/// Strong reads beside plain ones, through the client that people use.
struct StrongCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strong", abstract: "ReadOptions.isFresh beside plain reads.")

    @OptionGroup var programs: ProgramOptions
    @Option var nodes = 3
    @Option var keys = 10_000
    @Option(help: "Reads of each kind in a round, one after the other.") var count = 1_000
    @Option(help: "Reads at a time, for the rate.") var callers = 64
    @Option(help: "Reads of each kind in a round, many at a time.") var many = 20_000
    @Option var rounds = 5

    func run() async throws {
        var plan = BenchmarkCluster.Plan()
        plan.nodeCount = nodes
        try await BenchmarkCluster.run(programs.martlet, plan) { cluster in
            let configuration = CacheClientConfiguration(endpoints: [cluster.publisher])
            let client = try CacheClient(configuration)
            do {
                try await measure(client)
                await client.close()
            } catch {
                await client.close()
                throw error
            }
        }
    }

    private func measure(_ client: CacheClient) async throws {
        let all = (0..<keys).compactMap { CacheKey(bytes: Asking.key($0)) }
        let value = [UInt8](repeating: 7, count: 100)
        for key in all { _ = try await client.set(key, to: value) }
        let options = [ReadOptions(), Self.strong]
        var (times, rates) = ([Sample(), Sample()], [Sample(), Sample()])
        for _ in 0..<rounds {
            for kind in options.indices {
                times[kind].add(try await oneByOne(client, all, options[kind]))
                rates[kind].add(try await atOnce(client, all, options[kind]))
            }
        }
        Report.print("plain read", percentilesOf: times[0])
        Report.print("strong read", percentilesOf: times[1])
        Report.print("ratio of p50", Report.number(times[1].median / times[0].median))
        Report.print("plain reads, \(callers) at a time", Report.rate(rates[0].median))
        Report.print("strong reads, \(callers) at a time", Report.rate(rates[1].median))
        Report.print("ratio of rates", Report.number(rates[1].median / rates[0].median))
    }

    private static var strong: ReadOptions {
        var options = ReadOptions()
        options.isFresh = true
        return options
    }

    private func oneByOne(
        _ client: CacheClient, _ keys: [CacheKey], _ options: ReadOptions
    ) async throws -> Sample {
        var times = Sample()
        for index in 0..<count {
            let began = Time.now
            let found = try await client.get(keys[index % keys.count], options: options)
            times.add(Time.since(began))
            guard found?.isStale == false else { throw GaveUp("an entry is not there") }
        }
        return times
    }

    /// Reads a second, so many callers at a time.
    private func atOnce(
        _ client: CacheClient, _ keys: [CacheKey], _ options: ReadOptions
    ) async throws -> Double {
        let (callers, each) = (callers, many / callers)
        let began = Time.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    for index in 0..<each {
                        let key = keys[(caller * each + index) % keys.count]
                        guard try await client.get(key, options: options) != nil else {
                            throw GaveUp("an entry is not there")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        return Double(callers * each) / Time.since(began) * 1e9
    }
}
