import ByteCoding
import CacheModel
import CacheWire
import MartletClient
import Threading
import Testing

@Suite struct InvalidationStreamTests {
    private static let log = LogID(77)

    private static func records(_ count: Int) throws -> [SealedRecord] {
        var digest = LogDigest(startOf: log)
        var records: [SealedRecord] = []
        for number in 1...count {
            let record = try SealedRecord(
                sealing: InvalidationRecord(
                    position: LogPosition(
                        epoch: Epoch(1), sequence: SequenceNumber(UInt64(number))),
                    previousDigest: digest, operation: .none, strength: .hard,
                    scopes: [Scope(.everything)]))
            digest = record.digest
            records.append(record)
        }
        return records
    }

    private static func heartbeat(_ mark: LogMark) -> [UInt8] {
        var writer = ByteWriter()
        Heartbeat(
            log: log, head: mark,
            versions: SharedVersions(configRevision: 1, topologyVersion: 1)
        ).encode(into: &writer)
        return writer.array
    }

    private static func live(_ records: [SealedRecord]) -> [UInt8] {
        var writer = ByteWriter()
        RecordRun(records: records).encode(requestID: 0, into: &writer)
        return writer.array
    }

    @Test func whatTheLiveChannelLosesIsReplayedInOrder() async throws {
        let cluster = try ScriptedCluster()
        let records = try Self.records(10)
        try await cluster.withClient { client in
            // As the protocol wants it, a new subscription is greeted with a heartbeat.
            cluster.publisher.greeting.withLock { $0 = Self.heartbeat(records[1].mark) }
            let stream = try await client.invalidations()
            var events = stream.makeAsyncIterator()
            #expect(await events.next() == .heartbeat(head: records[1].position))
            cluster.publisher.log.withLock { $0 = records }
            // Records 3 to 7 are lost on the way, and 10 at the very end.
            cluster.publisher.broadcast(Self.live([records[7], records[8]]))
            cluster.publisher.broadcast(Self.heartbeat(records[9].mark))
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
