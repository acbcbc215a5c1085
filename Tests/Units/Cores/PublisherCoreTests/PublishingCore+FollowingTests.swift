import ByteCoding
import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// FOLLOW: who hears what of the log, when, and for how long.
@Suite struct PublishingCoreFollowingTests {
    private static func list(web: String = "read default/img:") -> String {
        """
        web     \(key(1))  \(web)
        boss    \(key(2))  admin
        meter   \(key(3))  metrics
        other   \(key(4))  read  sessions
        """
    }

    private static func key(_ number: Int) -> String {
        String(repeating: "0", count: 62) + "0\(number)"
    }

    private static func table(_ text: String) throws -> AccessTable {
        try AccessTable(listing: text)
    }

    private static func cluster() throws -> Cluster {
        var cluster = try Cluster.live(nodes: 1)
        cluster.core.setAccess(try table(list()))
        return cluster
    }

    private static let mine = Scope(.prefix(Array("img:".utf8), in: .default))

    private static func key(_ name: String) throws -> Scope {
        Scope(.key(try #require(CacheKey(name)), in: .default))
    }

    private static func tag() throws -> Scope {
        Scope(.tag(try #require(Tag("t")), in: .default))
    }

    /// Everything that is told to who may read `img:` of the scenario's six.
    @Test func aPartialReaderSeesItsPartOfTheLogInOrder() throws {
        var cluster = try Self.cluster()
        let said = [
            try Self.key("img:1"), try Self.key("other"), try Self.tag(),
            Scope(.prefix(Array("im".utf8), in: .default)), Scope(.namespace(.default)),
            Scope(.everything),
        ]
        for (index, scope) in said.enumerated() {
            cluster.say(scope, operation: UInt64(index + 1))
        }
        let answer = try #require(try cluster.follow(.web, after: .none))
        #expect(answer.isPart && !answer.isLost)
        #expect(answer.records.map(\.position) == [1, 3, 4, 5, 6].map { .at($0) })
        #expect(
            answer.records.map(\.scopes)
                == [[said[0]], [Self.mine], [Self.mine], [Self.mine], [said[5]]])
        #expect(answer.records.allSatisfy { $0.operation == .none })
        #expect(answer.through.position == .at(6) && answer.head == .at(6))
        #expect(answer.through.digest != cluster.core.log.head.digest)
        // Whoever may read all of it sees it as it is.
        let whole = try #require(try cluster.follow(.boss, after: .none))
        #expect(!whole.isPart && whole.records.map(\.scopes) == said.map { [$0] })
        #expect(whole.records.map(\.operation.low) == [1, 2, 3, 4, 5, 6])
        // Page by page nothing is shown twice.
        var (place, seen) = (LogMark.none, [LogPosition]())
        while let page = try cluster.follow(.web, after: place, limit: 2), page.records.count > 0 {
            seen += page.records.map(\.position)
            place = page.through
        }
        #expect(seen == answer.records.map(\.position))
    }

    @Test func aFollowRequestWaitsForAVisibleRecordUntilItsDeadline() throws {
        var cluster = try Self.cluster()
        let start = try #require(try cluster.follow(.web, fromHead: true)).through
        #expect(try cluster.follow(.web, after: start, hold: 1_000) == nil)
        cluster.say(try Self.key("other"))
        #expect(try cluster.followed(1) == nil)
        #expect(cluster.core.nextDeadline > cluster.now)
        cluster.tick(at: cluster.second + 0.9)
        #expect(try cluster.followed(1) == nil)
        cluster.tick(at: cluster.second + 0.1)
        let quiet = try #require(try cluster.followed(1))
        #expect(quiet.records.isEmpty && quiet.isPart)
        #expect(quiet.through.position == .at(1) && quiet.head == .at(1))

        // What it may see is told in the turn in which it is said.
        #expect(try cluster.follow(.web, after: quiet.through, hold: 60_000) == nil)
        cluster.say(try Self.key("other"))
        cluster.say(try Self.key("img:9"))
        let heard = try #require(try cluster.followed(1))
        #expect(heard.records.map(\.position) == [.at(3)])
        #expect(heard.through.position == .at(3))
        cluster.say(try Self.key("img:9"))
        #expect(try cluster.followed(1) == nil, "it is answered once")
        #expect(cluster.core.follows.isEmpty)
    }

    @Test func nothingIsToldBeforeTheLogHasIt() throws {
        var cluster = try Self.cluster()
        let start = try #require(try cluster.follow(.web, fromHead: true)).through
        #expect(try cluster.follow(.web, after: start, hold: 60_000) == nil)
        cluster.core.log.isSlow = true
        cluster.say(try Self.key("img:1"))
        #expect(try cluster.followed(1) == nil)
        try cluster.finishAppend()
        cluster.tick()
        #expect(try cluster.followed(1)?.records.count == 1)
    }

    @Test func aPlaceThatIsNotTheLogsIsLost() throws {
        var cluster = try Self.cluster()
        for _ in 0..<3 { cluster.say(try Self.key("img:1")) }
        let place = try #require(try cluster.follow(.web, after: .none, limit: 2)).through
        #expect(try cluster.follow(.web, after: place)?.records.count == 1)
        let unsealed = LogMark(position: place.position, digest: LogDigest(0))
        #expect(try cluster.follow(.web, after: unsealed)?.records.count == 1)
        let forged = LogMark(
            position: place.position, digest: LogDigest(place.digest.rawValue ^ 1))
        let digest = try #require(cluster.core.log.digest(at: place.position.sequence))
        let plain = LogMark(position: place.position, digest: digest)
        for wrong in [forged, plain, .at(4, digest: 0), .at(1, epoch: 2, digest: 0)] {
            let answer = try #require(try cluster.follow(.web, after: wrong))
            #expect(answer.isLost && answer.records.isEmpty, "\(wrong)")
            #expect(answer.through.position == .at(3))
        }
    }

    @Test func aNewEpochEndsAWaitingFollowRequestAsLost() throws {
        var cluster = try Self.cluster()
        cluster.say(try Self.key("img:1"))
        let place = try #require(try cluster.follow(.web, after: .none)).through
        #expect(try cluster.follow(.web, after: place, hold: 60_000) == nil)
        cluster.core.openEpoch(Epoch(2))
        cluster.tick()
        let answer = try #require(try cluster.followed(1))
        #expect(answer.isLost && answer.through.position == .at(0, epoch: 2))
    }

    @Test func aRightThatIsTakenAwayEndsTheQuestionThatWaits() throws {
        var cluster = try Self.cluster()
        for who in [Cluster.Follower.web, .other] {
            let start = try #require(try cluster.follow(who, fromHead: true)).through
            #expect(try cluster.follow(who, after: start, hold: 60_000) == nil)
        }
        let kept = try Self.table(Self.list(web: "write default/img:"))
        cluster.core.setAccess(kept)
        #expect(cluster.core.nextDeadline <= cluster.now)
        cluster.tick()
        #expect(try cluster.error(to: 1).knownCode == .unauthorised)
        #expect(cluster.core.follows.count == 1, "the other one waits on")
        cluster.core.setAccess(.empty)
        cluster.tick()
        #expect(try cluster.error(to: 4).knownCode == .unauthorised)
        #expect(cluster.core.follows.isEmpty && cluster.core.statistics.denied == 2)
    }

    @Test func aWaitingFollowRequestIsCheckedAgainstItsNewPatterns() throws {
        var cluster = try Self.cluster()
        let start = try #require(try cluster.follow(.web, fromHead: true)).through
        #expect(try cluster.follow(.web, after: start, hold: 60_000) == nil)
        cluster.core.setAccess(try Self.table(Self.list(web: "read default/doc:")))
        cluster.say(try Self.key("img:1"))
        #expect(try cluster.followed(1) == nil)
        cluster.say(try Self.key("doc:1"))
        #expect(try cluster.followed(1)?.records.map(\.position) == [.at(2)])
    }

    @Test func itTakesTheRoleReadOrNoListAtAll() throws {
        var cluster = try Self.cluster()
        #expect(try cluster.follow(.meter, fromHead: true) == nil)
        #expect(try cluster.error(to: 3).knownCode == .unauthorised)
        var open = try Cluster.live(nodes: 1)
        open.say(try Self.tag(), operation: 5)
        let answer = try #require(try open.follow(.meter, after: .none))
        #expect(!answer.isPart && answer.records.map(\.operation.low) == [5])
    }

    @Test func manyAskersAreBoundedAndServedInTurns() throws {
        var cluster = try Self.cluster()
        let start = try #require(try cluster.follow(.web, fromHead: true)).through
        for number in 0..<UInt64(PublisherLimits.followsPerKeyMax) {
            cluster.ask(.web, number: number, after: start, hold: 60_000)
        }
        cluster.tick()
        #expect(cluster.replies.isEmpty)
        cluster.ask(.web, number: 9_999, after: start, hold: 60_000)
        #expect(try cluster.error(to: 1).knownCode == .busy)
        cluster.ask(.other, number: 1, after: start, hold: 60_000)
        cluster.tick()
        #expect(cluster.replies.isEmpty, "another key has room of its own")

        let scopes = try (0..<900).map { try Self.key("img:a-name-of-some-length-\($0)") }
        let order = InvalidateRequest(
            scopes: scopes, wait: .none, timeoutMilliseconds: 5_000, operation: .none)
        cluster.send(
            Cluster.bytes { order.encode(requestID: 9, into: &$0) }, from: 90,
            of: Cluster.Follower.boss.rawValue)
        var (answered, turns) = (Set<UInt64>(), 0)
        repeat {
            cluster.tick()
            let sent = cluster.hear(1)
            let bytes = sent.reduce(0) { $0 + $1.count }
            #expect(bytes < PublisherLimits.followTurnBytesMax + (64 << 10))
            for frame in sent {
                let id = frame[8..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                #expect(answered.insert(id).inserted, "\(id) is answered once")
                let answer = try Cluster.decode(frame) { try Followed(decoding: $0) }
                #expect(answer.records.first?.scopes == ScopeList(scopes))
            }
            turns += 1
        } while cluster.core.nextDeadline <= cluster.now && turns < 100
        #expect(answered.count == PublisherLimits.followsPerKeyMax)
        #expect(turns > 3 && cluster.core.follows.count == 1, "in \(turns) turns")
    }

    @Test func aQuestionThatIsAskedAgainCountsOnce() throws {
        var cluster = try Self.cluster()
        let start = try #require(try cluster.follow(.web, fromHead: true)).through
        for _ in 0..<3 { cluster.ask(.web, number: 7, after: start, hold: 60_000) }
        cluster.tick()
        #expect(cluster.core.follows.count == 1)
        cluster.say(try Self.key("img:1"))
        #expect(try cluster.followed(1) != nil && cluster.core.follows.isEmpty)
    }
}
