import CacheModel
import CacheWire
import MartletClient
import Threading
import Testing

@Suite struct InvalidationStreamTests {
    @Test func whatTheLiveChannelLosesIsReplayedInOrder() async throws {
        let cluster = try ScriptedCluster()
        let records = try ScriptedLog.records(10)
        try await cluster.withClient { client in
            // As the protocol wants it, a new subscription is greeted with a heartbeat.
            cluster.publisher.greeting.withLock { $0 = ScriptedLog.heartbeat(records[1].mark) }
            let stream = try await client.invalidations()
            var events = stream.makeAsyncIterator()
            #expect(await events.next() == .heartbeat(head: records[1].position))
            cluster.publisher.log.withLock { $0 = records }
            // Records 3 to 7 are lost on the way, and 10 at the very end.
            cluster.publisher.broadcast(ScriptedLog.live([records[7], records[8]]))
            cluster.publisher.broadcast(ScriptedLog.heartbeat(records[9].mark))
            var seen: [LogPosition] = []
            while seen.count < 8, let event = await events.next() {
                if case .record(let record) = event { seen.append(record.position) }
            }
            #expect(seen == records[2...].map(\.position))
        }
    }

    @Test func aStreamEndsWithItsClient() async throws {
        let cluster = try ScriptedCluster()
        let client = try CacheClient(
            CacheClientConfiguration(endpoints: [cluster.publisher.endpoint]))
        let stream = try await client.invalidations()
        await client.close()
        for await _ in stream {}
    }

    @Test func aReaderThatIsCancelledIsLetGo() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let stream = try await client.invalidations()
            let reader = Task { for await _ in stream {} }
            await Task.yield()
            reader.cancel()
            await reader.value
        }
    }
}
