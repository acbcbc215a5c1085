import ArgumentParser
import CacheModel
import MartletClient
import TestSupport

/// What is asked, and of whom.
struct Subject: ParsableArguments {
    @Option(help: "A cluster that runs already; if not given, one is started.")
    var endpoint: String?
    @Option(help: "The martlet program; if not given, the one beside this.")
    var program: String?
    @Option(help: "Keys of 16 bytes that are asked for, in order.")
    var keys = 100_000
    @Option(help: "Bytes of each value.")
    var valueBytes = 100

    /// Hands out a client of a cluster that holds every key, and closes it.
    func withClient(
        _ body: (CacheClient, [CacheKey]) async throws -> Void
    ) async throws {
        let cluster = endpoint == nil ? try ServedCluster(program) : nil
        defer { cluster?.stop() }
        guard let place = endpoint ?? cluster?.endpoint else { throw GaveUp("no endpoint") }
        let configuration = CacheClientConfiguration(endpoints: [place])
        let client = try CacheClient(configuration)
        let keys = (0..<keys).compactMap { number in
            let digits = String(number)
            return CacheKey("key-" + String(repeating: "0", count: 12 - digits.count) + digits)
        }
        do {
            try await fill(client, keys)
            try await body(client, keys)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }

    private func fill(_ client: CacheClient, _ keys: [CacheKey]) async throws {
        let value = [UInt8](repeating: 7, count: valueBytes)
        for begin in stride(from: 0, to: keys.count, by: 10_000) {
            let part = keys[begin..<min(begin + 10_000, keys.count)]
            for result in await client.set(part.map { StoreItem($0, value) }) {
                _ = try result.get()
            }
        }
    }
}
