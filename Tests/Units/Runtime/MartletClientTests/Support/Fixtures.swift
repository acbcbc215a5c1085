import CacheModel
import CacheWire
import MartletClient
import Threading

/// Short words for what the tests say again and again.
enum Sample {
    static func key(_ text: String) -> CacheKey {
        guard let key = CacheKey(text) else { preconditionFailure("a sample is a legal key") }
        return key
    }

    static func node(_ name: String) -> NodeID {
        guard let node = NodeID(name) else { preconditionFailure("a sample is a legal name") }
        return node
    }

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Bytes that differ from place to place, so that a part in the wrong place shows.
    static func pattern(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        for index in 0..<count {
            bytes[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8)
        }
        return bytes
    }
}

extension ScriptedCluster {
    /// Makes a client of this cluster, hands it out and closes it.
    func withClient<Result>(
        _ change: (inout CacheClientConfiguration) -> Void = { _ in },
        _ body: (CacheClient) async throws -> Result
    ) async throws -> Result {
        var configuration = CacheClientConfiguration(endpoints: [publisher.endpoint])
        change(&configuration)
        let client = try CacheClient(configuration)
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }

    /// The shard that owns a key, found by asking all of them.
    func holder(of key: CacheKey, in namespace: Namespace = .default) -> ScriptedServer? {
        shards.first { shard in
            shard.store.withLock { $0.has(key.bytes, namespace.name) }
        }
    }
}

extension ScriptedServer {
    /// Its endpoint by the name of the machine instead of its address.
    var otherName: String { endpoint.replacing("127.0.0.1", with: "localhost") }

    /// Operations of that kind that have arrived.
    func operationCount(_ type: MessageType) -> Int {
        script.withLock { script in
            script.seen.filter { $0.type == type }.map(\.count).reduce(0, +)
        }
    }
}

/// What a call failed with; `nil` if it did not.
func failure<Value>(
    of body: () async throws(CacheError) -> Value
) async -> CacheError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}

/// A count that several tasks share.
final class Counter: Sendable {
    private let count = Guarded(0)

    var value: Int { count.withLock { $0 } }

    func increment() { count.withLock { $0 += 1 } }
}

/// Deadlines for a call that is to end by an answer, not by time: a fast machine is done with the
/// first, a busy one has the last to answer in.
let timesForAnAnswer: [Duration] = [.milliseconds(100), .seconds(1), .seconds(10)]

/// Makes a call that fails, with more time until it was answered before its deadline.
func failureOnceAnswered<Value>(
    _ body: (Duration) async throws(CacheError) -> Value
) async -> CacheError? {
    var last: CacheError?
    for time in timesForAnAnswer {
        last = await failure { () throws(CacheError) in try await body(time) }
        if last?.code != .timedOut { break }
    }
    return last
}
