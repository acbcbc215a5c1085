import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// Paced invalidations: docs/decisions/0032.
@Suite struct PublishingCorePacingTests {
    private static let tag = Tag("news")

    private static func order(
        milliseconds: UInt32 = 4_000, operation: UInt64 = 7, scopes: [Scope]? = nil
    ) throws -> PaceRequest {
        var request = PaceRequest(.begin)
        request.scopes = try scopes ?? [Scope(.tag(#require(tag), in: .default))]
        request.spanMilliseconds = milliseconds
        request.operation = OperationID(high: 5, low: operation)
        return request
    }

    private static func cancel(_ id: UInt64) -> PaceRequest {
        var request = PaceRequest(.cancel)
        request.id = PacingID(id)
        return request
    }

    private static func durable() throws -> Cluster {
        try Cluster.live(nodes: 1, outlivesItsProcess: true)
    }

    /// Ticks as often as a slice of four seconds could come, and answers with what was said.
    private static func run(
        _ cluster: inout Cluster, until second: Double
    ) throws -> [(second: Double, record: InvalidationRecord)] {
        var said: [(second: Double, record: InvalidationRecord)] = []
        while cluster.second < second {
            cluster.forget()
            cluster.tick(at: cluster.second + 0.025)
            if cluster.kept.count > cluster.keptCount { cluster.finishKeeping() }
            said += try cluster.recordsSent.map { (cluster.second, $0.record) }
        }
        cluster.forget()
        return said
    }

    @Test func anOrderIsAnsweredAndBegunOnceItIsKept() throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        cluster.tick()
        #expect(cluster.kept.count == 1)
        cluster.tick(at: 11)
        #expect(try cluster.replies.isEmpty && cluster.recordsSent.isEmpty)
        cluster.finishKeeping()
        let line = try #require(try cluster.pacings().first)
        #expect(line.id == PacingID(1) && line.state == .running && line.isDurable)
        #expect(line.sliceCount == 32 && line.doneCount == 0)
        cluster.tick(at: 11.01)
        #expect(try cluster.recordsSent.count == 1)
    }

    @Test func slicesAreSaidOneAfterAnotherUntilEveryHashWasNamed() throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        let said = try Self.run(&cluster, until: 15)
        #expect(said.count == 32)
        var next: UInt64 = 0
        for (index, one) in said.enumerated() {
            #expect(one.record.position == .at(UInt64(index) + 1))
            let range = try #require(one.record.scopes.first?.hashRange)
            #expect(range.lowerBound == next)
            next = range.upperBound &+ 1
        }
        #expect(next == 0)
        let gaps = zip(said, said.dropFirst()).map { $1.second - $0.second }
        #expect(gaps.allSatisfy { (0.09...0.16).contains($0) }, "\(gaps)")
        cluster.pace(PaceRequest(.list))
        let line = try #require(try cluster.pacings().first)
        #expect(line.state == .over && line.first == .at(1) && line.last == .at(32))
        #expect(line.leftMilliseconds == 0)
    }

    @Test func aRepeatedOrderIsAnsweredWithTheFirst() throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        try cluster.pace(Self.order(), from: 91)
        cluster.tick()
        cluster.finishKeeping()
        #expect(cluster.replies.count == 2)
        #expect(try cluster.pacings(to: 91).map(\.id) == [PacingID(1)])
        cluster.pace(PaceRequest(.list))
        #expect(try cluster.pacings().count == 1)
    }

    @Test func anOrderWithAKnownNameAndOtherScopesIsAnotherOne() throws {
        var cluster = try Self.durable()
        let namespaces = try ["one", "two"].map { try #require(Namespace($0)) }
        for namespace in namespaces {
            try cluster.pace(Self.order(scopes: [Scope(.namespace(namespace))]))
            cluster.tick()
            cluster.finishKeeping()
        }
        cluster.forget()
        cluster.pace(PaceRequest(.list))
        #expect(try cluster.pacings().count == 2)
    }

    @Test func whatCouldNotBeKeptIsNotBegun() throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        cluster.tick()
        cluster.finishKeeping(refusedBy: "no room left")
        let error = try cluster.error(to: 90)
        #expect(
            ErrorCode(rawValue: error.code) == .unavailable
                && error.message.contains("no room left"))
        #expect(try Self.run(&cluster, until: 15).isEmpty)
        cluster.pace(PaceRequest(.list))
        #expect(try cluster.pacings().isEmpty)
    }

    @Test func aRepeatedOrderIsRefusedWhileTheFirstAttemptFails() throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        cluster.tick()
        try cluster.pace(Self.order(), from: 91)
        cluster.finishKeeping(refusedBy: "no room left")
        cluster.forget()
        cluster.tick(at: 12)
        cluster.finishKeeping()
        let error = try cluster.error(to: 91)
        #expect(ErrorCode(rawValue: error.code) == .unavailable)
        #expect(error.message.contains("nothing was invalidated"), "\(error.message)")
        #expect(try Self.run(&cluster, until: 16).isEmpty)
    }

    @Test func aRepeatOfOneThatRunsIsAnsweredWhateverTheDiskSays() throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        cluster.tick()
        cluster.finishKeeping()
        _ = try Self.run(&cluster, until: 12)
        try cluster.pace(Self.order(), from: 91)
        let line = try #require(try cluster.pacings(to: 91).first)
        #expect(line.state == .running && line.doneCount > 0)
    }

    @Test func waitingOrdersAreBoundedAndSoAreCancellations() throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        cluster.tick()
        for _ in 0..<PublisherLimits.paceAskersMax { try cluster.pace(Self.order()) }
        try cluster.pace(Self.order(), from: 91)
        #expect(ErrorCode(rawValue: try cluster.error(to: 91).code) == .busy)
        cluster.pace(Self.cancel(1), from: 92)
        #expect(ErrorCode(rawValue: try cluster.error(to: 92).code) == .busy)
        cluster.finishKeeping()
        cluster.tick()
        cluster.finishKeeping()
        cluster.pace(PaceRequest(.list), from: 93)
        #expect(try cluster.pacings(to: 93).map(\.state) == [.running])
    }

    @Test func aCancelledOneSaysNothingMore() throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        let said = try Self.run(&cluster, until: 12)
        #expect((8...20).contains(said.count))
        cluster.pace(Self.cancel(1))
        cluster.tick()
        cluster.finishKeeping()
        let line = try #require(try cluster.pacings().first)
        #expect(line.state == .cancelled && Int(line.doneCount) == said.count)
        #expect(try Self.run(&cluster, until: 20).isEmpty)
        cluster.pace(Self.cancel(1))
        cluster.tick()
        cluster.finishKeeping()
        #expect(try cluster.pacings().first?.state == .cancelled, "asked again, it still is")
        cluster.pace(Self.cancel(2))
        #expect(try cluster.refusal() == .outOfRange)
    }

    @Test func anotherPublisherGoesOnWhereTheFirstStopped() throws {
        var first = try Self.durable()
        try first.pace(Self.order())
        let before = try Self.run(&first, until: 12)
        let bytes = try #require(first.kept.last)
        var second = try Self.durable()
        let resumed = second.core.resumePacings(bytes, now: second.now)
        #expect(resumed == 1)
        let after = try Self.run(&second, until: 20)
        // It was noted within the last second how far the first had come.
        #expect((32...41).contains(before.count + after.count))
        let lowest = try #require(after.first?.record.scopes.first?.hashRange?.lowerBound)
        let reached = try #require(before.last?.record.scopes.first?.hashRange?.upperBound)
        #expect(lowest <= reached &+ 1)
        #expect(after.last?.record.scopes.first?.hashRange?.upperBound == .max)
    }

    @Test func thoseThatEndedAreToldByAnotherPublisherToo() throws {
        var first = try Self.durable()
        try first.pace(Self.order(milliseconds: 1_000, operation: 7 << 32))
        _ = try Self.run(&first, until: 14)
        try first.pace(Self.order(operation: 8 << 32))
        _ = try Self.run(&first, until: 15)
        first.pace(Self.cancel(2))
        first.tick()
        first.finishKeeping()
        try first.pace(Self.order(operation: 9 << 32))
        _ = try Self.run(&first, until: 17)
        let bytes = try #require(first.kept.last)
        var second = try Self.durable()
        let resumed = second.core.resumePacings(bytes, now: second.now)
        #expect(resumed == 1)
        second.pace(PaceRequest(.list))
        let lines = try second.pacings()
        #expect(lines.map(\.state) == [.over, .cancelled, .running])
        #expect(lines.map(\.id) == [PacingID(1), PacingID(2), PacingID(3)])
        #expect(lines.first?.doneCount == 8 && lines.first?.last == .at(8))
        second.forget()
        try second.pace(Self.order(milliseconds: 1_000, operation: 7 << 32))
        let repeated = try second.pacings()
        #expect(repeated.map(\.state) == [.over], "an order that is over is not begun again")
    }

    /// The same log: its records' names tell which slices there are.
    @Test func sliceThatIsInTheLogAlreadyIsNotSaidTwice() throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        cluster.tick()
        let bytes = try #require(cluster.kept.first)
        cluster.finishKeeping()
        let before = try Self.run(&cluster, until: 12)
        let resumed = cluster.core.resumePacings(bytes, now: cluster.now)
        #expect(resumed == 1)
        let after = try Self.run(&cluster, until: 20)
        #expect(before.count + after.count == 32)
        cluster.pace(PaceRequest(.list))
        #expect(try cluster.pacings().first?.first == .at(1))
    }

    /// The next order gets a number that is nobody's, and there is one behind it.
    @Test(arguments: [1, 2, 1 << 62, 1 << 62 + 1, .max] as [UInt64])
    func aPacingFileWithAnImpossibleNextNumberIsDamaged(next: UInt64) throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        cluster.tick()
        var bytes = try #require(cluster.kept.first)
        for byte in 0..<8 { bytes[16 + byte] = UInt8(truncatingIfNeeded: next >> (8 * byte)) }
        let sum = bytes[12...].withUnsafeBytes { CRC32C.checksum($0) }
        for byte in 0..<4 { bytes[8 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
        let resumed = cluster.core.resumePacings(bytes, now: cluster.now)
        #expect(resumed == (next == 2 || next == 1 << 62 ? 1 : nil))
    }

    @Test(arguments: 0..<60)
    func damagedBytesResumeNothing(offset: Int) throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        cluster.tick()
        var bytes = try #require(cluster.kept.first)
        try #require(bytes.count > 60)
        bytes[offset] ^= 0x10
        let resumed = cluster.core.resumePacings(bytes, now: cluster.now)
        let cut = cluster.core.resumePacings(Array(bytes.prefix(offset)), now: cluster.now)
        #expect(resumed == nil && cut == nil)
    }

    @Test func aSliceThatTheLogRefusesIsTriedAgain() throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        cluster.tick()
        cluster.finishKeeping()
        cluster.core.log.isSlow = true
        cluster.tick(at: 11)
        try cluster.finishAppend(refusedBy: .storage("no room"))
        cluster.tick(at: 11.5)
        #expect(try cluster.recordsSent.isEmpty)
        cluster.tick(at: 12.1)
        try cluster.finishAppend()
        cluster.tick(at: 12.11)
        let record = try #require(try cluster.recordsSent.first?.record)
        #expect(record.scopes.first?.hashRange?.lowerBound == 0)
    }

    @Test func aSlowLogGetsOneSliceAtATime() throws {
        var cluster = try Self.durable()
        try cluster.pace(Self.order())
        cluster.tick()
        cluster.finishKeeping()
        cluster.core.log.isSlow = true
        for step in 0..<40 { cluster.tick(at: 11 + Double(step) / 10) }
        try cluster.finishAppend()
        cluster.tick()
        #expect(try cluster.recordsSent.count == 1)
        // Three seconds were lost, and are not made up for at once.
        cluster.core.log.isSlow = false
        let said = try Self.run(&cluster, until: 15.9)
        #expect((12...18).contains(said.count), "\(said.count) in a second")
    }

    @Test func aLogInMemoryPacesAndSaysThatItForgets() throws {
        var cluster = try Cluster.live(nodes: 1)
        try cluster.pace(Self.order())
        let line = try #require(try cluster.pacings().first)
        #expect(!line.isDurable && cluster.kept.isEmpty)
        #expect(try Self.run(&cluster, until: 15).count == 32)
    }

    @Test func thereIsRoomForSoMany() throws {
        var cluster = try Self.durable()
        for number in 1...UInt64(PublisherLimits.pacingsMax) {
            try cluster.pace(Self.order(operation: number << 32))
        }
        cluster.tick()
        cluster.finishKeeping()
        cluster.forget()
        try cluster.pace(Self.order(operation: 99 << 32))
        #expect(try cluster.refusal() == .busy)
        let said = try Self.run(&cluster, until: 15)
        #expect(said.count == 32 * PublisherLimits.pacingsMax)
    }

    @Test func wrongOrdersAreRefused() throws {
        var cluster = try Self.durable()
        let key = try #require(CacheKey("a"))
        let half = Scope(.everything, hashRange: 0...(.max / 2))
        let long = (0..<16).map { number in
            Scope(.prefix([UInt8](repeating: UInt8(number), count: 1_200), in: .default))
        }
        var nameless = try Self.order()
        nameless.operation = .none
        let wrong = [
            try Self.order(milliseconds: 999), try Self.order(milliseconds: .max),
            try Self.order(scopes: [Scope(.key(key, in: .default))]),
            try Self.order(scopes: [half]), try Self.order(scopes: long), nameless,
            try Self.order(scopes: []), Self.cancel(3),
        ]
        for request in wrong {
            cluster.pace(request)
            let code = try cluster.refusal()
            #expect(code == .outOfRange || code == .malformed)
        }
        cluster.tick(at: 12)
        #expect(cluster.kept.isEmpty)
    }

    @Test func slicesAreEchoedAsSlices() throws {
        var cluster = try Cluster.live(nodes: 1) { $0.replicaLagDefault = .seconds(2) }
        try cluster.pace(Self.order(milliseconds: 1_000))
        let said = try Self.run(&cluster, until: 14)
        let ranges = said.flatMap { $0.record.scopes.map(\.hashRange) }
        #expect(ranges.count == 16, "8 slices, and each once more")
        #expect(Set(ranges).count == 8 && !ranges.contains(nil))
    }
}

extension Cluster {
    fileprivate mutating func pace(_ request: PaceRequest, from peer: UInt8 = 90) {
        send(from: peer) { request.encode(requestID: 9, into: &$0) }
    }

    fileprivate mutating func refusal() throws -> ErrorCode? {
        ErrorCode(rawValue: try error(to: 90).code)
    }

    fileprivate mutating func pacings(to peer: UInt8 = 90) throws -> [PacingReport.Line] {
        try hear(peer, .pacingReport) { try PacingReport(decoding: $0) }.lines
    }
}
