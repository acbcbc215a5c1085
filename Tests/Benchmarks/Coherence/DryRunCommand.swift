import ArgumentParser
import CacheModel
import CacheWire
import MartletClient
import TestSupport
import ZeroMQ

/// A dry run of a tag of many entries, through the client that people use, beside a scan of the
/// shard for it.
struct DryRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dry-run", abstract: "What a tag of a million entries covers: asked, scanned.")

    @OptionGroup var programs: ProgramOptions
    @Option(help: "Entries with the tag.") var entries = 1_000_000
    @Option(help: "Dry runs, and as many scans.") var rounds = 25

    func run() async throws {
        var plan = BenchmarkCluster.Plan()
        plan.nodeCount = 1
        plan.memory = "1GiB"
        let context = try Context()
        try await BenchmarkCluster.run(programs.martlet, plan) { cluster in
            let shard = try Peer(context, to: cluster.nodes[0])
            try TagCommand.fill(shard, entries, tag: "many")
            let configuration = CacheClientConfiguration(endpoints: [cluster.publisher])
            let client = try CacheClient(configuration)
            do {
                try await measure(client, shard)
                await client.close()
            } catch {
                await client.close()
                throw error
            }
        }
    }

    private func measure(_ client: CacheClient, _ shard: Peer) async throws {
        let scope = try Asking.scope(ofTag: "many")
        var (counted, scanned) = (Sample(), Sample())
        for _ in 0..<rounds {
            var began = Time.now
            let counts = try await client.cluster.count([scope])
            counted.add(Time.since(began))
            began = Time.now
            let found = try scan(shard, scope.target)
            scanned.add(Time.since(began))
            guard counts.map(\.entryCount) == [found], found == entries else {
                throw GaveUp("\(counts) counted, \(found) found")
            }
        }
        Report.print(
            "dry run of a tag of \(entries) entries", percentilesOf: counted, asked: "<= 10 ms")
        Report.print("the same by a scan", percentilesOf: scanned)
    }

    /// - Returns: how many entries were found.
    private func scan(_ shard: Peer, _ target: Scope.Target) throws -> Int {
        var (cursor, found) = (UInt64(0), 0)
        repeat {
            let request = ScanRequest(
                cursor: cursor, limit: WireLimits.scanKeysMax, target: target, isCountOnly: true)
            let frame = Asking.message { request.encode(requestID: 0, into: &$0) }
            let page = try shard.ask(frame) { try ScanPage(decoding: $0) }
            found += Int(page.entryCount)
            cursor = page.nextCursor
        } while cursor != 0
        return found
    }
}
