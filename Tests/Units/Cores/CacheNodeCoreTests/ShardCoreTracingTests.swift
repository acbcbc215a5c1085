import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// Which request of the outside something belongs to, and what of it took long.
@Suite struct ShardCoreTracingTests {
    private static let trace = TraceContext(
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

    @Test func aLoadCarriesTheTraceOfItsRequest() {
        var shard = ShardHarness()
        shard.readThrough()
        #expect(Self.trace != nil)
        let load = shard.ask("a", [], RequestShape(trace: Self.trace))
        #expect(load?.request.trace == Self.trace)
        // Whoever asks next is nobody that is known.
        #expect(shard.ask("b").map { $0.request.trace == nil } == true)
        _ = shard.end(load, .text("one"))
        #expect(shard.get("a").text == "one")
    }

    @Test func anInvalidationCarriesTheTraceOfItsRequest() {
        var shard = ShardHarness()
        let frame = shard.deleteFrame(["a"], RequestShape(trace: Self.trace))
        #expect(shard.send(frame).isEmpty)
        var traces: [TraceContext?] = []
        for case .publish(let request) in shard.effects { traces.append(request.trace) }
        #expect(traces == [Self.trace])
    }

    @Test func anOriginWriteCarriesTheTraceOfItsRequest() {
        var shard = ShardHarness()
        shard.readThrough { _, origin in origin.writesBehind = true }
        let shape = RequestShape(trace: Self.trace)
        #expect(shard.send(shard.setFrame("a", "one", .init(), shape)).isEmpty)
        #expect(shard.send(shard.deleteFrame(["b", "c"], shape)).isEmpty)
        #expect(shard.send(shard.setFrame("d", "one")).isEmpty)
        let traces = shard.takeWrites().map(\.write.trace)
        #expect(traces == [Self.trace, Self.trace, Self.trace, nil])
    }

    @Test func whatWaitedLongForTheOriginIsTold() throws {
        var shard = ShardHarness()
        shard.readThrough()
        let load = shard.ask("slow", [], RequestShape(trace: Self.trace))
        shard.advance(by: .milliseconds(250))
        #expect(shard.core.takeSlowNotes().isEmpty)
        _ = shard.end(load, .text("one"))
        let notes = shard.core.takeSlowNotes()
        let note = try #require(notes.first)
        #expect(notes.count == 1 && shard.core.takeSlowNotes().isEmpty)
        #expect(note.type == .get && note.key == Array("slow".utf8) && note.keyCount == 1)
        #expect(note.took == .milliseconds(250) && note.times.origin == .milliseconds(250))
        #expect(note.times.position == .zero && note.times.disk == .zero)
        #expect(note.trace == Self.trace && note.namespace == .default)
    }

    /// However short it was; and nobody but the log of what is slow asks for its key.
    @Test func whatARecordedTraceWaitedForIsTold() throws {
        var shard = ShardHarness()
        shard.readThrough()
        let load = shard.ask("a", [], RequestShape(trace: Self.trace))
        shard.advance(by: .milliseconds(5))
        #expect(shard.core.takeSpanNotes().notes.isEmpty)
        _ = shard.end(load, .text("one"))
        let (notes, leftOut) = shard.core.takeSpanNotes()
        let note = try #require(notes.first)
        #expect(notes.count == 1 && leftOut == 0)
        #expect(note.took == .milliseconds(5) && note.times.origin == .milliseconds(5))
        #expect(note.trace == Self.trace && note.key.isEmpty && note.type == .get)
        #expect(shard.core.takeSlowNotes().isEmpty)
        // What is there is answered within its turn.
        _ = shard.send(shard.getFrame(["a"], [], RequestShape(trace: Self.trace)))
        #expect(shard.core.takeSpanNotes().notes.isEmpty)
    }

    @Test func requestsWithoutASampledTraceProduceNoSpans() {
        var shard = ShardHarness()
        shard.readThrough()
        let silent = Self.trace?.marked(asSampled: false)
        for (key, trace) in [("a", silent), ("b", nil)] {
            let load = shard.ask(key, [], RequestShape(trace: trace))
            shard.advance(by: .milliseconds(250))
            _ = shard.end(load, .text("one"))
        }
        #expect(shard.core.takeSpanNotes().notes.isEmpty)
        #expect(shard.core.takeSlowNotes().count == 2)
    }

    @Test func spansForWhichThereIsNoRoomAreCounted() {
        var shard = ShardHarness()
        shard.readThrough()
        for number in 0..<100 {
            let load = shard.ask("key\(number)", [], RequestShape(trace: Self.trace))
            _ = shard.end(load, .text("one"))
        }
        let (notes, leftOut) = shard.core.takeSpanNotes()
        #expect(notes.count == 64 && leftOut == 36)
        #expect(shard.core.takeSpanNotes().leftOut == 0)
    }

    @Test func whatEndedInTimeIsNotTold() {
        var shard = ShardHarness()
        shard.readThrough()
        let load = shard.ask("a")
        shard.advance(by: .milliseconds(99))
        _ = shard.end(load, .text("one"))
        _ = shard.get("a")
        #expect(shard.core.takeSlowNotes().isEmpty)
    }

    /// It waits for a position, then for its load: both are its time, and told apart.
    @Test func whatWaitedTwiceIsToldOnceWithBoth() throws {
        var shard = ShardHarness()
        shard.readThrough()
        let next = LogPosition(
            epoch: shard.log.head.position.epoch,
            sequence: shard.log.head.position.sequence.next)
        #expect(shard.send(shard.getFrame(["a"], [], RequestShape(atLeast: next))).isEmpty)
        shard.advance(by: .milliseconds(80))
        _ = shard.invalidate(.key("other"))
        #expect(shard.finishWaiting().isEmpty)
        let load = shard.takeLoads().first
        shard.advance(by: .milliseconds(40))
        #expect(shard.end(load, .text("one")).count == 1)
        let notes = shard.core.takeSlowNotes()
        let note = try #require(notes.first)
        #expect(notes.count == 1 && note.took == .milliseconds(120))
        #expect(note.times.position == .milliseconds(80))
        #expect(note.times.origin == .milliseconds(40))
    }

    @Test func whatIsNotTakenIsBounded() {
        var shard = ShardHarness()
        shard.readThrough()
        for number in 0..<200 {
            let load = shard.ask("key\(number)")
            shard.advance(by: .milliseconds(100))
            _ = shard.end(load, .text("one"))
        }
        #expect(shard.core.takeSlowNotes().count == 64)
    }
}
