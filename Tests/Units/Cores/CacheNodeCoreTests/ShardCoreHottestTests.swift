import ByteCoding
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// The keys that a shard is asked for most, about.
@Suite struct ShardCoreHottestTests {
    private func page(
        _ shard: inout ShardHarness, _ limit: Int, from cursor: UInt64 = 0,
        of target: Scope.Target = .namespace(.default)
    ) throws -> ScanPage {
        var request = ScanRequest(
            cursor: cursor, limit: limit, target: target, isCountOnly: false)
        request.isHottest = true
        var writer = ByteWriter()
        request.encode(requestID: 5, into: &writer)
        let frame = writer.array
        return try shard.answered(frame) { try ScanPage(decoding: $0) }
    }

    /// All pages together, the hottest first.
    private func all(_ shard: inout ShardHarness, _ limit: Int) throws -> [ScanPage.Line] {
        var lines: [ScanPage.Line] = []
        var cursor: UInt64 = 0
        repeat {
            let page = try page(&shard, limit, from: cursor)
            #expect(page.lines.count <= limit)
            #expect(page.lines.map(\.heat) == page.lines.map(\.heat).sorted(by: >))
            lines += page.lines
            cursor = page.nextCursor
        } while cursor != 0
        return Array(lines.sorted { $0.heat > $1.heat }.prefix(limit))
    }

    @Test func whatIsAskedForComesBeforeWhatIsNot() throws {
        var shard = ShardHarness()
        for number in 0..<2_000 { _ = shard.set("k\(number)", "v") }
        for number in 0..<50 { for _ in 0..<3 { _ = shard.get("k\(number)") } }
        _ = shard.get("k777")
        let hottest = try all(&shard, 51)
        let keys = Set(hottest.map { String(decoding: $0.key.bytes, as: UTF8.self) })
        #expect(keys == Set((0..<50).map { "k\($0)" } + ["k777"]))
        #expect(hottest[49].heat > hottest[50].heat && hottest[50].heat > 0)
    }

    @Test func whatIsNoValueOrNotFreshIsNotAmongThem() throws {
        var shard = ShardHarness()
        shard.readThrough { policy, origin in
            policy.staleWindow = .seconds(600)
            origin.staleIfError = .seconds(600)
        }
        for key in ["there", "past", "soft", "hard"] {
            _ = shard.end(
                shard.ask(key), .text("v") { $0.lifetime = .seconds(key == "past" ? 1 : 60) })
        }
        _ = shard.end(shard.ask("none"), .none(for: .seconds(60)))
        shard.advance(by: .seconds(2))
        _ = shard.invalidate(.key("soft"), strength: .soft)
        _ = shard.invalidate(.key("hard"))
        let keys = try page(&shard, 10).lines.map(\.key)
        #expect(keys == [CacheKey("there")])
    }

    @Test func onlyOfWhatIsCovered() throws {
        var shard = ShardHarness()
        for key in ["a:1", "a:2", "b:1"] { _ = shard.set(key, "v") }
        let keys = try page(&shard, 10, of: .prefix(Array("a:".utf8), in: .default)).lines
        #expect(Set(keys.map(\.key)) == [CacheKey("a:1"), CacheKey("a:2")])
    }

    /// A page looks at a part of the table, and lists no more than is wanted.
    @Test func aPageIsBounded() throws {
        var shard = ShardHarness()
        for number in 0..<30_000 { _ = shard.set("k\(number)", "v") }
        let first = try page(&shard, 5)
        #expect(first.lines.count == 5 && first.nextCursor != 0)
        #expect(first.entryCount < 15_000 && first.entryCount > 5_000)
    }

    /// Being looked at is no use of it.
    @Test func lookingChangesNothing() throws {
        var shard = ShardHarness()
        _ = shard.set("a", "v")
        let before = try page(&shard, 1).lines
        for _ in 0..<5 { #expect(try page(&shard, 1).lines == before) }
    }
}
