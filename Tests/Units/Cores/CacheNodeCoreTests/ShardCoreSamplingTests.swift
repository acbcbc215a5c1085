import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

extension ShardHarness {
    fileprivate init(sampleEvery: Int) { self.init { $0.sampleEvery = sampleEvery } }
}

/// What is told of operations that are sampled: what their askers were told, no more and no less.
@Suite struct ShardCoreSamplingTests {
    private static let trace = TraceContext(
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

    /// `get a: hit 1, 3 bytes`: type, key, status with its detail, bytes of the value.
    private static func words(_ note: ShardSampleNote) -> String {
        let key = String(decoding: note.key, as: UTF8.self)
        let status = note.status.map { "\($0)" } ?? "unknown"
        let detail = note.detail == 0 ? "" : " \(note.detail)"
        let bytes = note.valueBytes.map { ", \($0) bytes" } ?? ""
        return "\(note.type) \(key): \(status)\(detail)\(bytes)"
    }

    private static func told(_ shard: inout ShardHarness) -> [String] {
        shard.core.takeSampleNotes().notes.map(words)
    }

    @Test func withoutSamplingNothingIsTold() {
        var shard = ShardHarness()
        for _ in 0..<1_000 { _ = shard.get("a") }
        #expect(Self.told(&shard).isEmpty)
    }

    @Test func everyOperationIsToldWithWhatItWasAnswered() {
        var shard = ShardHarness(sampleEvery: 1)
        _ = shard.get("a")
        _ = shard.set("a", "one")
        _ = shard.get("a")
        _ = shard.send(shard.touchFrame("a", ttl: 1_000))
        _ = shard.set("a", "x", .init(version: Version(9)))
        _ = shard.set("a", "older", .init(version: Version(3)))
        _ = shard.send(shard.getFrame(["a", "b"], [.details]))
        #expect(
            Self.told(&shard) == [
                "get a: miss", "set a: stored, 3 bytes", "get a: hit 1, 3 bytes",
                "touch a: touched", "set a: stored, 1 bytes",
                "set a: refused \(StoreRefusal.olderVersion.rawValue), 5 bytes",
                "get a: hit 1, 1 bytes", "get b: miss",
            ])
        #expect(Self.told(&shard).isEmpty, "once")
    }

    @Test func ofAMessageThoseAreToldThatAreSampled() {
        var shard = ShardHarness(sampleEvery: 10)
        let keys = (0..<500).map { "key\($0)" }
        for first in stride(from: 0, to: 500, by: 50) {
            _ = shard.send(shard.getFrame(Array(keys[first..<(first + 50)])))
        }
        var one = ShardHarness(sampleEvery: 10)
        for key in keys { _ = one.get(key) }
        let told = Self.told(&shard)
        #expect((40...60).contains(told.count) && told == Self.told(&one))
    }

    @Test func aLoadIsSampledOnceWithItsDuration() throws {
        var shard = ShardHarness(sampleEvery: 1)
        shard.readThrough()
        let load = shard.ask("a", [], RequestShape(trace: Self.trace))
        #expect(Self.told(&shard).isEmpty)
        shard.advance(by: .milliseconds(30))
        _ = shard.end(load, .text("value"))
        let notes = shard.core.takeSampleNotes().notes
        let note = try #require(notes.first)
        #expect(notes.count == 1 && note.status == .hit && note.detail == Tier.origin.rawValue)
        #expect(note.valueBytes == 5 && note.trace == Self.trace)
        #expect(note.took == .milliseconds(30) && note.times?.origin == .milliseconds(30))
        _ = shard.get("a")
        #expect(shard.core.takeSampleNotes().notes.map(\.took) == [nil], "answered at once")
        _ = shard.end(shard.ask("gone"), .none())
        _ = shard.end(shard.ask("down"), .error(.unreachable))
        let ends = shard.core.takeSampleNotes().notes
        #expect(ends.map(\.status) == [.miss, .failed])
        #expect(ends.map { $0.flags.contains(.negative) } == [true, false])
    }

    @Test func aRemovalIsToldWhenEverybodyHasObeyed() {
        var shard = ShardHarness(sampleEvery: 1)
        #expect(shard.send(shard.deleteFrame(["a"])).isEmpty)
        #expect(Self.told(&shard).isEmpty)
        for case .publish(let request) in shard.effects {
            let position = shard.invalidate(.key("a"))
            shard.core.published(ticket: request.ticket, at: position)
        }
        _ = shard.finishWaiting()
        #expect(Self.told(&shard) == ["delete a: removed"])
    }

    @Test func aWriteToAnOriginIsTold() {
        var shard = ShardHarness(sampleEvery: 1)
        shard.readThrough { _, origin in origin.writesBehind = true }
        _ = shard.send(shard.setFrame("a", "four"))
        _ = shard.end(shard.takeWrites().first, .queued)
        let note = shard.core.takeSampleNotes().notes.first
        #expect(note.map(Self.words) == "set a: stored, 4 bytes")
        #expect(note?.flags.contains(.queued) == true)
    }

    @Test func anInvalidKeyIsSampledUpToTheKeyLimit() {
        var shard = ShardHarness(sampleEvery: 1)
        #expect(shard.get(String(repeating: "k", count: 60_000)).refusal == .outOfRange)
        #expect(shard.get("").refusal == .outOfRange)
        #expect(shard.core.takeSampleNotes().notes.map(\.key.count) == [CacheKey.bytesMax, 0])
    }

    @Test func partsOfALongValueAndQuestionsOfOperatorsAreNone() {
        var shard = ShardHarness(sampleEvery: 1)
        let chunk = shard.frame(.chunk, count: 1) { writer in
            ([1, 2, 3] as [UInt8]).withUnsafeBytes {
                ChunkOperation.append(
                    uploadID: 1, totalBytes: $0.count, offset: 0, bytes: $0, to: &writer)
            }
        }
        guard case .results(_, let outcomes) = shard.send(chunk).first else {
            Issue.record("a chunk is answered")
            return
        }
        #expect(outcomes.map(\.status) == [.received])
        let count = shard.frame(.count, count: 1) { Scope.tag("t").encode(into: &$0) }
        #expect(shard.send(count).count == 1)
        var upload = SetOperation.Description()
        upload.upload = SetOperation.Upload(id: 1, totalBytes: 3)
        _ = shard.set("long", "", upload)
        #expect(Self.told(&shard) == ["set long: stored, 3 bytes"])
    }

    @Test func itsNamespaceIsTold() {
        var shard = ShardHarness(sampleEvery: 1)
        let images = Namespace("images") ?? .default
        _ = shard.get("a", [], RequestShape(namespace: images))
        #expect(shard.core.takeSampleNotes().notes.map(\.namespace) == [images])
    }

    @Test func whatIsNotTakenIsBoundedAndCounted() {
        var shard = ShardHarness(sampleEvery: 1)
        for number in 0..<200 { _ = shard.get("key\(number)") }
        let (notes, leftOut) = shard.core.takeSampleNotes()
        #expect(notes.count == 64 && leftOut == 136)
        _ = shard.get("a")
        let next = shard.core.takeSampleNotes()
        #expect(next.notes.count == 1 && next.leftOut == 0)
    }
}
