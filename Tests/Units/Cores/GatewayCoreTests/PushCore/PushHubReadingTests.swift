import CacheModel
import Testing

@testable import GatewayCore

/// Readers that are slow, and what time brings.
@Suite struct PushHubReadingTests {
    /// A record whose message has about so many bytes.
    private func long(_ sequence: UInt64, bytes: Int) throws -> InvalidationRecord {
        let name = String(repeating: "k", count: 1_000)
        return record(sequence, try Array(repeating: Scope(key(name)), count: bytes / 1_000))
    }

    @Test func aSlowReaderIsCutAtTheRecordThatFindsNoRoom() throws {
        var bench = HubBench(at: 0)
        bench.takesAtOnce = false
        let slow = try bench.subscribe()
        var count: UInt64 = 0
        while bench.readers[slow]?.ending == nil, count < 100 {
            count += 1
            bench.receive(try long(count, bytes: 30_000))
        }
        #expect(bench.readers[slow]?.ending == .slow)
        // Nothing was passed over, and it is told where it stands.
        #expect(bench.records(slow) == (1..<count).map { at($0) })
        #expect(bench.heard(slow).last == "end slow 1:\(count - 1)")
        #expect(bench.hub.snapshot.cut == 1)
        #expect(bench.hub.subscriberCount == 0)
    }

    @Test func aReaderThatComesBackAfterBeingCutMissesNothing() throws {
        var bench = HubBench(at: 0)
        bench.takesAtOnce = false
        let slow = try bench.subscribe()
        for number in 1...20 as ClosedRange<UInt64> {
            bench.receive(try long(number, bytes: 30_000))
        }
        let first = bench.records(slow)
        bench.takesAtOnce = true
        let again = try bench.subscribe(
            PushSubscription([.everything], after: bench.readers[slow]?.place, for: nil))
        bench.settle()
        #expect(first + bench.records(again) == (1...20).map { at($0) })
    }

    @Test func aMessageOfAnyLengthFitsAnEmptyQueue() throws {
        var bench = HubBench(at: 0)
        bench.takesAtOnce = false
        let reader = try bench.subscribe()
        bench.take(reader)
        // Each of its bytes is written as six.
        let name = String(repeating: "\u{1}", count: 4_000)
        let scopes = try (0..<14).map { _ in Scope(try key(name)) }
        bench.receive(record(1, scopes))
        #expect((bench.messages(reader).last?.bytes ?? 0) > PushLimits.queueBytesMax)
        #expect(bench.records(reader) == [at(1)])
    }

    @Test func aReplayWaitsForASlowReaderWithoutDisconnectingIt() throws {
        var bench = HubBench(at: 0)
        for number in 1...40 as ClosedRange<UInt64> {
            bench.receive(try long(number, bytes: 30_000))
        }
        bench.takesAtOnce = false
        let reader = try bench.subscribe(after: 0)
        bench.settle()
        let first = bench.records(reader).count
        #expect((1..<40).contains(first))
        var rounds = 0
        while bench.records(reader).count < 40, rounds < 40 {
            bench.take(reader)
            bench.settle()
            rounds += 1
        }
        #expect(bench.records(reader) == (1...40).map { at($0) })
        #expect(bench.readers[reader]?.ending == nil)
    }

    @Test func aReplayOfLargeRecordsDoesNotDisconnectTheReader() throws {
        var bench = HubBench(at: 0)
        for number in 1...6 as ClosedRange<UInt64> {
            bench.receive(try long(number, bytes: number % 2 == 1 ? 100_000 : 200_000))
        }
        bench.takesAtOnce = false
        let reader = try bench.subscribe(after: 0)
        bench.settle()
        #expect(bench.records(reader) == [at(1), at(2)])
        #expect((bench.readers[reader]?.pendingBytes ?? 0) > PushLimits.queueBytesMax)
        // Nor does a heartbeat, while there is more to replay.
        bench.pass(PushLimits.heartbeatSpacing)
        for _ in 0..<6 {
            bench.take(reader)
            bench.settle()
        }
        #expect(bench.records(reader) == (1...6).map { at($0) })
        #expect(bench.readers[reader]?.ending == nil)
    }

    @Test func aReplayOvertakenByTheRingReportsLostHistory() throws {
        var bench = HubBench(ringRecords: 10)
        bench.hub.follows(after: at(0))
        bench.beat(0)
        for number in 1...10 as ClosedRange<UInt64> {
            bench.receive(try long(number, bytes: 30_000))
        }
        bench.takesAtOnce = false
        let reader = try bench.subscribe(after: 0)
        bench.settle()
        let told = bench.records(reader)
        for number in 11...30 as ClosedRange<UInt64> { bench.receive(record(number)) }
        bench.take(reader)
        bench.settle()
        bench.receive(record(31))
        #expect(told.count < 10)
        #expect(bench.records(reader) == told + [at(31)])
        #expect(bench.heard(reader).suffix(2) == ["gone 1:30", "record 1:31"])
        let gap = PushMessage.gone(after: try #require(told.last), position: at(30))
        #expect(bench.messages(reader).contains(gap))
    }

    @Test func aReaderThatTakesNothingForLongIsCut() throws {
        var bench = HubBench(at: 3)
        bench.takesAtOnce = false
        let reader = try bench.subscribe()
        bench.pass(PushLimits.stallMax - .seconds(1))
        #expect(bench.readers[reader]?.ending == nil)
        bench.pass(PushLimits.heartbeatSpacing + .seconds(1))
        #expect(bench.readers[reader]?.ending == .stalled)
    }

    @Test func anIdleReaderIsNotDisconnected() throws {
        var bench = HubBench(at: 3)
        let reader = try bench.subscribe()
        bench.pass(PushLimits.stallMax * 3)
        #expect(bench.readers[reader]?.ending == nil)
    }

    @Test func everybodyHearsWhereTheLogEndsOnceInEachSpacing() throws {
        var bench = HubBench(at: 3)
        let readers = try (0..<120).map { _ in try bench.subscribe([key("a")]) }
        bench.receive(record(4, [Scope(try key("b"))]))
        bench.pass(PushLimits.heartbeatSpacing)
        for reader in readers { #expect(bench.heard(reader) == ["hello 1:3", "heartbeat 1:4"]) }
        // One message for all of a tick.
        #expect(bench.sends.filter { $0.message.kind == .heartbeat }.map(\.count).max() == 3)
    }

    @Test func aHeartbeatSaysHowLongThePublisherWasSilent() throws {
        var bench = HubBench(at: 3)
        let reader = try bench.subscribe()
        bench.pass(PushLimits.heartbeatSpacing)
        let text = String(decoding: try #require(bench.messages(reader).last).text, as: UTF8.self)
        #expect(text.contains("\"position\":\"1:3\",\"head\":\"1:3\",\"silent_ms\":"))
        #expect(text.hasSuffix("\"publisher\":\"away\"}"))
        bench.pass(PushLimits.heartbeatSpacing - PushLimits.tickSpacing)
        bench.beat(3)
        bench.pass(PushLimits.tickSpacing)
        let next = String(decoding: try #require(bench.messages(reader).last).text, as: UTF8.self)
        #expect(next.hasSuffix("\"silent_ms\":100,\"publisher\":\"here\"}"))
    }

    @Test func aHeartbeatReportsAnAbsentPublisherToAWaitingReader() throws {
        var bench = HubBench()
        let reader = try bench.subscribe(after: 7)
        bench.pass(PushLimits.heartbeatSpacing)
        let text = String(decoding: try #require(bench.messages(reader).last).text, as: UTF8.self)
        let words = "\"position\":\"1:7\",\"head\":null,\"silent_ms\":null,\"publisher\":\"away\"}"
        #expect(text == "{\"type\":\"heartbeat\"," + words)
    }

    @Test func anExpiredTokenEndsItsSubscription() throws {
        var bench = HubBench(at: 3)
        let end = bench.now.advanced(by: .seconds(7))
        let reader = try bench.subscribe(until: end)
        bench.pass(.seconds(6))
        #expect(bench.readers[reader]?.ending == nil)
        bench.pass(PushLimits.heartbeatSpacing + .seconds(1))
        #expect(bench.readers[reader]?.ending == .expired)
        #expect(bench.heard(reader).last == "end expired 1:3")
    }
}
