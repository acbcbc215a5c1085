import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// FLOORS: a node slept past what the log keeps.
@Suite struct PublishingCoreFloorsTests {
    private func key(_ name: String) throws -> CacheKey { try #require(CacheKey(name)) }

    private func touch(_ name: String) throws -> [Scope] {
        [Scope(.key(try key(name), in: .default))]
    }

    /// A cluster whose log keeps its last ten records, after `count` of them: number `n` touches
    /// the key `kn`. Node 3 slept at the beginning; what it says is the log's.
    private func cluster(_ count: Int, continuing start: LogMark? = nil) throws -> Cluster {
        var cluster = Cluster(
            nodes: 3, log: MemoryLog(id: Cluster.freshID, recordsMax: 10, decode: SealedRecord.kept)
        ) { $0.kind = .replicated }
        let log = start == nil ? LogID.none : LogID(0xAA)
        for number in 1...UInt8(3) { try cluster.hello(number, log: log, at: start ?? .none) }
        cluster.tick()
        let base = cluster.core.log.head.position.sequence.rawValue
        for number in 1...UInt64(count) {
            cluster.invalidate(.none, scopes: try touch("k\(base + number)"))
            cluster.tick()
        }
        cluster.tick(at: 1)
        cluster.forget()
        return cluster
    }

    /// Asks for all parts, as a node does.
    private func floors(
        _ cluster: inout Cluster, after mark: LogMark
    ) throws -> FloorSnapshot {
        var bucket = 0
        var heard: FloorSnapshot?
        while bucket < FloorBuckets.count {
            cluster.tick()
            ask(&cluster, after: mark, from: bucket)
            let part = try cluster.hear(3, .floorSnapshot) {
                try FloorSnapshotPart(decoding: $0)
            }
            #expect(part.firstBucket == bucket && part.asOf == cluster.core.log.head)
            var since = part.asOf
            since.position.sequence = part.completeSince
            var snapshot = heard ?? FloorSnapshot(of: part.log, at: since, isCertain: true)
            snapshot.raise(
                FloorPart(
                    first: bucket, next: part.nextBucket, names: FloorNames(),
                    entries: part.buckets.map {
                        FloorEntry(bucket: $0.bucket, sequence: $0.sequence)
                    }))
            heard = snapshot
            bucket = part.nextBucket
        }
        return try #require(heard)
    }

    private func ask(
        _ cluster: inout Cluster, after mark: LogMark, log: LogID? = nil, from bucket: Int = 0,
        incarnation: UInt64 = 3
    ) {
        let request = FloorsRequest(
            incarnation: Incarnation(incarnation),
            log: log ?? cluster.core.log.id, applied: mark, firstBucket: bucket)
        cluster.send(from: 3) { request.encode(requestID: 5, into: &$0) }
    }

    /// Which of the keys `k1` … `kcount` were touched.
    private func touched(_ floors: FloorSnapshot, _ count: Int) throws -> [Int] {
        try (1...count).filter { floors.floor(ofKey: try key("k\($0)"), in: .default) > .none }
    }

    private func start(_ cluster: borrowing Cluster) -> LogMark {
        LogMark(position: .at(0), digest: LogDigest(startOf: cluster.core.log.id))
    }

    @Test func aNodeReceivesExactlyTheFloorsAfterItsMark() throws {
        var cluster = try cluster(200)
        // Long before what is kept: nobody can prove the mark, but nobody else ever wrote this log.
        let all = try floors(&cluster, after: start(cluster))
        #expect(all.completeSince == .none)
        #expect(try touched(all, 210) == Array(1...200))
        let some = try floors(&cluster, after: .at(150, digest: 1))
        #expect(try touched(some, 210) == Array(151...200))
        let none = try floors(&cluster, after: cluster.core.log.head)
        #expect(try touched(none, 210) == [])
        #expect(cluster.core.statistics.floorEntries == 250)
    }

    @Test func everyKindOfScopeIsTold() throws {
        var cluster = try cluster(1)
        let room = try #require(Namespace("room"))
        cluster.invalidate(
            .none,
            scopes: [
                Scope(.tag(try #require(Tag("t")), in: room)), Scope(.prefix([1, 2], in: room)),
                Scope(.namespace(room)), Scope(.everything),
            ])
        cluster.tick()
        ask(&cluster, after: start(cluster))
        let part = try cluster.hear(3, .floorSnapshot) { try FloorSnapshotPart(decoding: $0) }
        let two = SequenceNumber(2)
        #expect(part.everything == two && part.namespaces == [.init(room, two)])
        #expect(part.prefixes == [.init([1, 2], in: room, two)])
        let tag = [UInt8(ascii: "t")].withUnsafeBytes {
            FloorSnapshot.buckets(room).bucket(ofTag: $0)
        }
        #expect(part.buckets.contains(.init(tag, two)) && part.isLast)
    }

    @Test func aFloorsRequestFromAnUnknownRunOrLogIsRefused() throws {
        var cluster = try cluster(20)
        ask(&cluster, after: start(cluster), incarnation: 77)
        #expect(try cluster.error(to: 3).code == ErrorCode.notRegistered.rawValue)
        ask(&cluster, after: start(cluster), log: LogID(0xBB))
        #expect(try cluster.error(to: 3).code == ErrorCode.outOfRange.rawValue)
        ask(&cluster, after: .at(1, epoch: .max))
        #expect(try cluster.error(to: 3).code == ErrorCode.outOfRange.rawValue)
    }

    /// Whatever it is, it proves nothing, and it changes nothing.
    @Test func aMarkThatIsNotTheLogsIsToldEverything() throws {
        var cluster = try cluster(20)
        let head = cluster.core.log.head
        for strange in [LogMark.at(15, digest: 1), .at(99, digest: 1), .at(1, epoch: 2)] {
            #expect(try touched(floors(&cluster, after: strange), 21) == Array(1...20))
        }
        #expect(cluster.core.log.head == head)
    }

    /// Nobody knows what was touched before a log without records was continued.
    @Test func whatLiesBeforeTheSnapshotIsUnknown() throws {
        var cluster = try cluster(50, continuing: .at(500))
        let old = try floors(&cluster, after: .at(499))
        #expect(old.completeSince == SequenceNumber(500))
        #expect(old.part(from: 0, above: .none).entries.isEmpty)
        let there = try floors(&cluster, after: .at(500))
        #expect(
            (501...550).allSatisfy { number in
                CacheKey("k\(number)").map { there.floor(ofKey: $0, in: .default) > .none } ?? false
            })
    }

    /// A node that slept may stand beyond the place where the log was continued, under records
    /// that are lost. Its number alone must not make it keep what this log has touched.
    @Test func anUnprovenMarkGetsAllFloorsSinceTheLogContinued() throws {
        var cluster = try cluster(50, continuing: .at(500))
        let strange = try floors(&cluster, after: .at(520))
        for number in 501...550 {
            #expect(strange.floor(ofKey: try key("k\(number)"), in: .default) > .none)
        }
        // A mark that is the log's is believed.
        let kept = try #require(cluster.core.log.read(after: SequenceNumber(545), limit: 1)?.first)
        let proven = try floors(&cluster, after: kept.mark)
        #expect(proven.floor(ofKey: try key("k546"), in: .default) == .none)
        #expect(proven.floor(ofKey: try key("k547"), in: .default) == SequenceNumber(547))
    }

    @Test func aNewEpochBeginsANewSnapshot() throws {
        var cluster = try cluster(30)
        let before = cluster.core.log.head
        // A node proves that records were lost.
        cluster.sendPing(1, at: .at(99, digest: 5))
        cluster.tick()
        #expect(cluster.core.log.head.position == .at(0, epoch: 2))
        cluster.invalidate(.none, scopes: try touch("k31"))
        cluster.tick()
        cluster.forget()
        let old = try floors(&cluster, after: before)
        #expect(old.asOf.position.epoch == Epoch(2))
        #expect(old.part(from: 0, above: .none).entries.isEmpty)
        let new = try floors(
            &cluster,
            after: LogMark(
                position: .at(0, epoch: 2), digest: LogDigest(startOf: cluster.core.log.id)))
        #expect(try touched(new, 31) == [31])
    }

    @Test func onePartIsAnsweredInATurn() throws {
        var cluster = try cluster(5)
        cluster.tick()
        cluster.forget()
        ask(&cluster, after: start(cluster))
        ask(&cluster, after: start(cluster))
        #expect(cluster.order == [.floorSnapshot, .error])
        #expect(try cluster.error(to: 3).code == ErrorCode.busy.rawValue)
    }

    /// What the log said before the start is read while the publisher serves already.
    @Test func whatWasTouchedBeforeTheStartIsWaitedFor() throws {
        let id = Cluster.freshID
        var earlier = FloorSnapshot(
            of: id, at: LogMark(position: .at(0), digest: LogDigest(startOf: id)), isCertain: true)
        var log = MemoryLog(id: id, recordsMax: 10, decode: SealedRecord.kept)
        log.continueHistory(of: id, from: earlier.asOf)
        for number in 1...20 {
            let sealed = try SealedRecord(
                sealing: InvalidationRecord(
                    position: log.head.position.next, previousDigest: log.head.digest,
                    operation: .none, strength: .hard, scopes: try touch("k\(number)")))
            try log.append([sealed], expecting: log.head)
            earlier.note(sealed)
        }
        var cluster = Cluster(reading: log)
        for number in 1...UInt8(3) { try cluster.hello(number, log: id, at: log.head) }
        cluster.invalidate(.none, scopes: try touch("k21"))
        cluster.tick()
        cluster.forget()
        ask(&cluster, after: .at(5, digest: 1))
        let busy = try cluster.error(to: 3)
        #expect(busy.code == ErrorCode.busy.rawValue && busy.retryAfterMilliseconds ?? 0 > 0)
        cluster.core.floorsArrived(earlier)
        let floors = try floors(&cluster, after: earlier.asOf)
        #expect(try touched(floors, 30) == [21])
        let all = try self.floors(&cluster, after: start(cluster))
        #expect(all.completeSince == .none)
        #expect(try touched(all, 30) == Array(1...21))
        // Once is enough.
        cluster.core.floorsArrived(FloorSnapshot(of: id, at: earlier.asOf, isCertain: true))
        #expect(try touched(self.floors(&cluster, after: start(cluster)), 30) == Array(1...21))
    }

    /// One that could not be read, or is of another log, leaves what is known since the start.
    @Test func whatDoesNotFitIsPassedOver() throws {
        let id = Cluster.freshID
        var log = MemoryLog(id: id, decode: SealedRecord.kept)
        log.continueHistory(of: id, from: .at(40))
        for wrong in [
            FloorSnapshot(of: LogID(1), at: .at(40), isCertain: true),
            FloorSnapshot(of: id, at: .at(40, epoch: 2), isCertain: true),
            FloorSnapshot(of: id, at: .at(39), isCertain: true),
            FloorSnapshot(of: id, at: .at(41), isCertain: true),
        ] {
            var cluster = Cluster(reading: log)
            for number in 1...UInt8(3) { try cluster.hello(number, log: id, at: .at(40)) }
            cluster.tick()
            cluster.forget()
            cluster.core.floorsArrived(wrong)
            #expect(try floors(&cluster, after: .at(40)).completeSince == SequenceNumber(40))
        }
    }
}
