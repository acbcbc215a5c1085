import ByteCoding
import CacheAccess
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// One key never has all of what a shard has for everybody: half of it is there for others.
@Suite struct ShardCoreSharesTests {
    private static let list = """
        greedy \(key(1))  read,write  *
        other  \(key(2))  read,write  *
        slow   \(key(3))  read        *  ops=10/s
        node-2 \(key(4))  node        *
        """

    private static func key(_ number: Int) -> String {
        String(repeating: "0", count: 62) + "0\(number)"
    }

    private enum Who: UInt32 {
        case greedy = 1
        case other, slow, node

        var principal: PrincipalNumber { PrincipalNumber(rawValue: rawValue) }
    }

    private static func harness() throws -> ShardHarness {
        var harness = ShardHarness()
        harness.makeLive()
        harness.core.setAccess(try AccessTable(listing: list))
        return harness
    }

    // MARK: Uploads

    private static func chunk(
        _ upload: UInt64, at offset: Int, of totalBytes: Int = 600_000, _ who: Who,
        in shard: inout ShardHarness
    ) -> ResultStatus? {
        let frame = shard.frame(.chunk, count: 1) { writer in
            [UInt8(7)].withUnsafeBytes {
                ChunkOperation.append(
                    uploadID: upload, totalBytes: totalBytes, offset: offset, bytes: $0,
                    to: &writer)
            }
        }
        guard case .results(_, let outcomes)? = shard.send(frame, of: who.principal).first else {
            return nil
        }
        return outcomes.first?.status
    }

    @Test func oneKeyHasHalfOfTheUploadsAtMost() throws {
        var shard = try Self.harness()
        let half = UInt64(ShardLimits.uploadsMax / 2)
        for upload in 1...half {
            #expect(Self.chunk(upload, at: 0, .greedy, in: &shard) == .received)
        }
        #expect(Self.chunk(half + 1, at: 0, .greedy, in: &shard) == .busy)
        #expect(Self.chunk(100, at: 0, .other, in: &shard) == .received)
        // One that has begun goes on, and what has left makes room.
        #expect(Self.chunk(1, at: 1, .greedy, in: &shard) == .received)
        #expect(Self.chunk(1, at: 9, .greedy, in: &shard) == .refused)
        #expect(Self.chunk(half + 1, at: 0, .greedy, in: &shard) == .received)
    }

    @Test func oneKeyHasHalfOfTheBytesOfUploadsAtMost() throws {
        var shard = try Self.harness()
        let half = ShardLimits.uploadBytesMax / 2
        #expect(Self.chunk(1, at: 0, of: half, .greedy, in: &shard) == .received)
        #expect(Self.chunk(2, at: 0, of: 2, .greedy, in: &shard) == .busy)
        #expect(Self.chunk(3, at: 0, of: half, .other, in: &shard) == .received)
    }

    @Test func anUploadThatIsKeptAliveWithoutEndIsGivenUp() throws {
        var shard = try Self.harness()
        #expect(Self.chunk(1, at: 0, .greedy, in: &shard) == .received)
        var offset = 1
        while offset < 30 {
            shard.advance(by: .seconds(29))
            shard.core.tick(now: shard.now)
            guard Self.chunk(1, at: offset, .greedy, in: &shard) == .received else { break }
            offset += 1
        }
        #expect((10..<30).contains(offset), "some minutes, not a quarter of an hour")
    }

    // MARK: Loads

    private static func getMissing(
        _ number: Int, _ who: Who, in shard: inout ShardHarness
    ) -> [ShardHarness.Reply] {
        let keys = (0..<WireLimits.operationsPerMessageMax).map { "\(who)-\(number)-\($0)" }
        return shard.send(shard.getFrame(keys), of: who.principal)
    }

    @Test func oneKeyHasHalfOfTheLoadsAtMost() throws {
        var shard = try Self.harness()
        shard.readThrough()
        let half = ShardLimits.loadsMax / 2
        let perMessage = WireLimits.operationsPerMessageMax
        for number in 0..<(half / perMessage) {
            #expect(Self.getMissing(number, .greedy, in: &shard).isEmpty)
        }
        let loads = shard.takeLoads()
        #expect(loads.count == half)
        #expect(Self.getMissing(half, .greedy, in: &shard).isEmpty)
        #expect(shard.takeLoads().count == 0)
        let told = shard.finishedOutcomes()
        #expect(told.count == perMessage)
        #expect(told.allSatisfy { $0.detail == LoadFailure.overloaded.rawValue })
        #expect(Self.getMissing(0, .other, in: &shard).isEmpty)
        #expect(shard.takeLoads().count == perMessage)
        // What has ended makes room.
        _ = shard.end(loads.first, .none())
        #expect(shard.send(shard.getFrame(["new"]), of: Who.greedy.principal).isEmpty)
        #expect(shard.takeLoads().count == 1)
    }

    @Test func nodesHaveAsManyLoadsAsThereAre() throws {
        var shard = try Self.harness()
        shard.readThrough()
        let perMessage = WireLimits.operationsPerMessageMax
        for number in 0...(ShardLimits.loadsMax / 2 / perMessage) {
            #expect(Self.getMissing(number, .node, in: &shard).isEmpty)
        }
        #expect(shard.takeLoads().count == ShardLimits.loadsMax / 2 + perMessage)
    }

    @Test func oneKeyHasHalfOfTheComparisonsAtMost() throws {
        var shard = try Self.harness()
        shard.readThrough()
        #expect(shard.send(shard.getFrame(["a"]), of: Who.other.principal).isEmpty)
        _ = shard.end(shard.takeLoads().first, .text("one"))
        let key = try #require(CacheKey("a"))
        let frame = shard.frame(.compare, count: 0) { writer in
            writer.append(UInt16(key.bytes.count))
            writer.append(key.bytes)
        }
        let half = ShardLimits.comparisonsMax / 2
        for _ in 0..<half { #expect(shard.send(frame, of: Who.greedy.principal).isEmpty) }
        let loads = shard.takeLoads()
        #expect(loads.count == half)
        guard case .error(let error)? = shard.send(frame, of: Who.greedy.principal).first else {
            Issue.record("one more than half was taken")
            return
        }
        #expect(error.knownCode == .busy)
        #expect(shard.send(frame, of: Who.other.principal).isEmpty)
        shard.core.loadEnded(
            try #require(loads.first).number, .text("one"), now: shard.now,
            effects: &shard.effects)
        #expect(shard.finishWaiting().count == 1)
        #expect(shard.send(frame, of: Who.greedy.principal).isEmpty)
    }

    // MARK: Scans

    @Test(arguments: [false, true])
    func aScanIsChargedForTheKeysItExamines(isHottest: Bool) throws {
        var shard = try Self.harness()
        for number in 0..<8_000 {
            _ = shard.send(shard.setFrame("k\(number)", "v"), of: Who.other.principal)
        }
        var request = ScanRequest(
            cursor: 0, limit: 1, target: .prefix(Array("nothing".utf8), in: .default),
            isCountOnly: false)
        request.isHottest = isHottest
        var writer = ByteWriter()
        request.encode(requestID: 1, into: &writer)
        guard case .other(.scanPage)? = shard.send(writer.array, of: Who.slow.principal).first
        else {
            Issue.record("a scan is answered with a page")
            return
        }
        let get = shard.getFrame(["k1"])
        guard case .error(let error)? = shard.send(get, of: Who.slow.principal).first else {
            Issue.record("who has had a table looked through has asked for more than one thing")
            return
        }
        #expect(error.knownCode == .busy)
        #expect((error.retryAfterMilliseconds ?? 0) > 1_000)
    }
}
