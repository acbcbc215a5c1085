import ByteCoding
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// Which keys a shard of a sharded cluster answers for: docs/decisions/0084.
@Suite struct ShardCoreOwnershipTests {
    private static let three = members(3)
    private static let four = members(4)
    private static let keys = (0..<200).map { "key-\($0)" }

    private static func members(_ count: Int) -> [Membership.Member] {
        (1...count).compactMap { number in
            NodeID("n\(number)").map {
                Membership.Member(node: $0, shards: 1, weightThousandths: 1_000)
            }
        }
    }

    /// Keys whose owner is n1, the shard under test.
    private static func own(_ members: [Membership.Member]) -> Set<String> {
        let topology = Topology(members)
        return Set(
            keys.filter { key in
                CacheKey(key).flatMap { topology.owner(of: $0, in: .default) }?.node.name == "n1"
            })
    }

    private func report(
        _ members: [Membership.Member], version: UInt32, isSettled: Bool? = true,
        asOf place: LogPosition = LogPosition(epoch: Epoch(1), sequence: .none)
    ) -> [UInt8] {
        let nodes = members.map {
            TopologyReport.Node(
                id: $0.node, state: .live, weightThousandths: $0.weightThousandths,
                endpoints: ["tcp://127.0.0.1:1"])
        }
        var writer = ByteWriter()
        TopologyReport(
            version: version, kind: .sharded, controlEndpoint: "", liveEndpoint: "", nodes: nodes
        ).encode(
            requestID: 0,
            note: isSettled.map { MembersNote(isSettled: $0, asOf: place) }, into: &writer)
        return writer.array
    }

    /// A shard of n1 that knows three members, and holds all of its keys.
    private func filled(_ members: [Membership.Member] = Self.three) -> ShardHarness {
        var shard = ShardHarness()
        shard.core.setTopology(frame: report(members, version: 7), now: shard.now)
        for key in Self.own(members) { _ = shard.set(key, "old") }
        return shard
    }

    private func tell(
        _ members: [Membership.Member], isSettled: Bool, _ shard: inout ShardHarness
    ) {
        _ = shard.invalidate(Scope(Membership(members, isSettled: isSettled)))
    }

    /// What a client that routes by nothing in particular is answered.
    private func answers(_ shard: inout ShardHarness) -> [ResultStatus: Set<String>] {
        var answers: [ResultStatus: Set<String>] = [:]
        for key in Self.keys { answers[shard.get(key).status, default: []].insert(key) }
        return answers
    }

    @Test func aShardServesItsOwnKeysAndRepliesBusyForOthers() {
        var shard = filled()
        let own = Self.own(Self.three)
        #expect(answers(&shard) == [.hit: own, .busy: Set(Self.keys).subtracting(own)])
        let foreign = Self.keys.first { !own.contains($0) } ?? ""
        #expect(shard.set(foreign, "x").status == .busy)
        #expect(shard.only(shard.touchFrame(foreign, ttl: 1_000)).status == .busy)
        let removed = shard.only(shard.deleteFrame([foreign]))
        #expect(removed.status == .busy && removed.detail == StoreRefusal.moved.rawValue)
        #expect(removed.fields.retryAfterMilliseconds == ShardLimits.movedRetryMilliseconds)
    }

    @Test func anInvalidKeyIsRefusedWithoutAffectingItsBatch() {
        var shard = filled()
        let own = Self.own(Self.three).sorted()[0]
        guard case .results(_, let answers) = shard.send(shard.getFrame([own, "", own])).first
        else {
            Issue.record("no results")
            return
        }
        #expect(answers.map(\.status) == [.hit, .refused, .hit])
    }

    @Test func entriesOfKeysThatMovedAwayAndBackAreHidden() {
        var shard = filled()
        tell(Self.four, isSettled: false, &shard)
        tell(Self.four, isSettled: true, &shard)
        // Meanwhile n4 stores newer values of what it owns. Then it is taken out.
        tell(Self.three, isSettled: false, &shard)
        tell(Self.three, isSettled: true, &shard)
        let (before, between) = (Self.own(Self.three), Self.own(Self.four))
        #expect(between.isStrictSubset(of: before), "some keys went to n4")
        let answers = answers(&shard)
        #expect(answers[.hit] == between, "what stayed is still there")
        #expect(answers[.miss] == before.subtracting(between))
    }

    @Test func aShardRefusesKeysItLostOnceItAppliesTheRecord() {
        var shard = filled()
        tell(Self.four, isSettled: false, &shard)
        #expect(answers(&shard)[.hit] == Self.own(Self.four))
        #expect(answers(&shard)[.miss] == nil)
    }

    @Test func aKeyThatIsGainedWaitsUntilTheMembersAreSettled() {
        var shard = filled(Self.four)
        tell(Self.three, isSettled: false, &shard)
        #expect(answers(&shard)[.miss] == nil, "who owned them may still answer")
        #expect(answers(&shard)[.hit] == Self.own(Self.four))
        tell(Self.three, isSettled: true, &shard)
        let gained = Self.own(Self.three).subtracting(Self.own(Self.four))
        #expect(answers(&shard)[.miss] == gained)
    }

    @Test func duringTwoMembershipChangesAKeyMustBeOwnedUnderEach() {
        var shard = filled(Self.four)
        let five = Self.members(5)
        tell(five, isSettled: false, &shard)
        tell(Self.three, isSettled: false, &shard)
        #expect(answers(&shard)[.hit] == Self.own(Self.four).intersection(Self.own(five)))
        #expect(answers(&shard)[.miss] == nil)
        tell(Self.three, isSettled: true, &shard)
        #expect(
            answers(&shard)[.hit]
                == Self.own(Self.four).intersection(Self.own(five)).intersection(
                    Self.own(Self.three)))
    }

    @Test func theSameMembersSaidAgainHideNothing() {
        var shard = filled()
        tell(Self.three, isSettled: false, &shard)
        #expect(answers(&shard)[.hit] == Self.own(Self.three))
        tell(Self.three, isSettled: true, &shard)
        #expect(answers(&shard)[.hit] == Self.own(Self.three))
    }

    @Test func aTokenIsRefusedForAKeyThatMovedMeanwhile() throws {
        var shard = ShardHarness()
        shard.core.setTopology(frame: report(Self.three, version: 7), now: shard.now)
        let moving = Self.own(Self.three).subtracting(Self.own(Self.four)).sorted()
        let staying = Self.own(Self.four).sorted()
        let (left, stayed) = (try #require(moving.first), try #require(staying.first))
        let tokens = (shard.token(for: left), shard.token(for: stayed))
        for members in [Self.four, Self.three] {
            tell(members, isSettled: false, &shard)
            tell(members, isSettled: true, &shard)
        }
        #expect(shard.fill(left, "old", tokens.0).refusal == .invalidatedMeanwhile)
        #expect(shard.fill(stayed, "old", tokens.1).status == .stored)
    }

    @Test func aForeignKeyIsServedOnlyUnderTheSettledTopologyVersion() throws {
        var shard = filled()
        let foreign = try #require(Self.keys.first { !Self.own(Self.three).contains($0) })
        func ask(_ version: UInt32, _ shard: inout ShardHarness) -> ResultStatus {
            var writer = ByteWriter()
            var message = MessageWriter(.get, requestID: 1, into: &writer)
            message.field(MessageFields.ID.topology, version, into: &writer)
            Array(foreign.utf8).withUnsafeBytes {
                GetOperation.append(key: $0, options: [], to: &writer)
            }
            message.finish(&writer, count: 1)
            return shard.only(writer.array).status
        }
        #expect(ask(7, &shard) == .miss)
        #expect(ask(6, &shard) == .busy)
        tell(Self.four, isSettled: false, &shard)
        #expect(ask(7, &shard) == .busy, "that version lists others than are in force")
        shard.core.setTopology(
            frame: report(Self.four, version: 8, isSettled: false), now: shard.now)
        #expect(ask(8, &shard) == .busy, "they are not settled")
        tell(Self.four, isSettled: true, &shard)
        #expect(ask(8, &shard) == .miss)
    }

    @Test func repliesCarryNoTopologyVersionUntilTheNewReportArrives() {
        var shard = filled()
        var standing = NodeStanding.unheard
        standing.state = .live
        standing.leaseExpiresAt = shard.now.advanced(by: .seconds(60))
        standing.topologyVersion = 7
        shard.core.setStanding(standing)
        func version(_ shard: inout ShardHarness) -> UInt32? {
            guard case .results(let proof, _) = shard.send(shard.getFrame(["key-1"])).first else {
                return nil
            }
            return proof.topologyVersion
        }
        #expect(version(&shard) == 7)
        tell(Self.four, isSettled: false, &shard)
        #expect(version(&shard) == 0)
        shard.core.setTopology(
            frame: report(Self.four, version: 8, isSettled: false), now: shard.now)
        #expect(version(&shard) == 7, "the node says which it has")
    }

    @Test func aNodeThatStartsWhileKeysMoveAnswersForNone() {
        var shard = filled()
        shard.beginEpoch(2)
        let place = shard.log.head.position
        shard.core.setTopology(
            frame: report(Self.four, version: 8, isSettled: false, asOf: place), now: shard.now)
        #expect(Set(answers(&shard).keys) == [.busy])
        shard.core.setTopology(frame: report(Self.four, version: 9, asOf: place), now: shard.now)
        #expect(answers(&shard)[.miss] == Self.own(Self.four))
    }

    @Test func afterAGapAReportOfTheNewPlaceIsNeeded() {
        var shard = filled()
        shard.beginEpoch(2)
        #expect(Set(answers(&shard).keys) == [.busy])
        let place = LogPosition(epoch: Epoch(2), sequence: SequenceNumber(1))
        shard.core.setTopology(frame: report(Self.three, version: 7, asOf: place), now: shard.now)
        #expect(Set(answers(&shard).keys) == [.busy], "the report is of a later place")
        _ = shard.invalidate(.key("other"))
        #expect(answers(&shard)[.miss] == Self.own(Self.three))
    }

    @Test func anOmittedMemberListHidesEverythingUntilALaterReport() {
        var shard = filled()
        let record = shard.log.append([Scope(Membership(nil, isSettled: false))])
        shard.core.apply([record], isAwaited: true, now: shard.now, effects: &shard.effects)
        shard.core.setTopology(frame: report(Self.three, version: 8), now: shard.now)
        #expect(Set(answers(&shard).keys) == [.busy], "that report was made before")
        shard.core.setTopology(
            frame: report(Self.three, version: 9, asOf: record.position), now: shard.now)
        #expect(answers(&shard)[.miss] == Self.own(Self.three))
    }

    @Test func aPublisherOfAReleaseBeforeHasNothingChecked() {
        var shard = ShardHarness()
        shard.core.setTopology(
            frame: report(Self.three, version: 7, isSettled: nil), now: shard.now)
        #expect(Set(answers(&shard).keys) == [.miss])
        // Even after one of this release had it checked.
        var known = filled()
        known.core.setTopology(
            frame: report(Self.three, version: 9, isSettled: nil), now: shard.now)
        #expect(answers(&known)[.busy] == nil)
    }

    /// A publisher with its log in memory, started with another configuration, has nobody to tell
    /// what the members were.
    @Test func aSettledReportOfOthersCountsWhereTheLogHasSaidNothing() {
        var shard = filled()
        shard.core.setTopology(frame: report(Self.four, version: 8), now: shard.now)
        shard.core.tick(now: shard.now)
        #expect(answers(&shard)[.hit] == Self.own(Self.four))
        shard.core.setTopology(frame: report(Self.three, version: 9), now: shard.now)
        shard.core.tick(now: shard.now)
        #expect(answers(&shard)[.hit] == Self.own(Self.four))
        #expect(answers(&shard)[.miss] == Self.own(Self.three).subtracting(Self.own(Self.four)))
        // One that was made before the log told of others is late.
        tell(Self.four, isSettled: true, &shard)
        shard.core.setTopology(frame: report(Self.three, version: 10), now: shard.now)
        shard.core.tick(now: shard.now)
        #expect(answers(&shard)[.hit] == Self.own(Self.four))
        #expect(answers(&shard)[.miss] == nil)
    }

    /// The record that said so was on a disk that was damaged, and the publisher's log goes on.
    @Test func membersAreSettledByAReportWhereTheRecordIsLost() {
        var shard = filled(Self.four)
        tell(Self.three, isSettled: false, &shard)
        _ = shard.invalidate(.key("other"))
        let place = shard.log.head.position
        let next = LogPosition(epoch: place.epoch, sequence: place.sequence.next)
        shard.core.setTopology(frame: report(Self.three, version: 8, asOf: next), now: shard.now)
        shard.core.tick(now: shard.now)
        #expect(answers(&shard)[.miss] == nil, "the record may still come")
        _ = shard.invalidate(.key("other"))
        shard.core.tick(now: shard.now)
        #expect(answers(&shard)[.hit] == Self.own(Self.four))
        #expect(answers(&shard)[.miss] == Self.own(Self.three).subtracting(Self.own(Self.four)))
    }

    /// The record that hides everything comes before the report: meanwhile one kind stores without
    /// a record what the other would take for its own.
    @Test(arguments: [TopologyReport.Kind.sharded, .replicated])
    func whatWasStoredBeforeTheReportOfAnotherKindIsHidden(_ before: TopologyReport.Kind) throws {
        var shard = ShardHarness(isReplicated: before == .replicated)
        let own = try #require(Self.own(Self.three).first)
        if before == .sharded {
            shard.core.setTopology(frame: report(Self.three, version: 7), now: shard.now)
        }
        _ = shard.invalidate(Scope(.everything))
        let token = shard.token(for: own)
        #expect(shard.fill(own, "of the kind before", token).status == .stored)
        #expect(shard.get(own).status == .hit)
        let after =
            before == .replicated
            ? report(Self.three, version: 8, asOf: shard.log.head.position)
            : ShardHarness.topology(.replicated)
        shard.core.setTopology(frame: after, now: shard.now)
        #expect(shard.get(own).status == .miss)
        shard.core.setTopology(frame: after, now: shard.now)
        let next = shard.token(for: own)
        #expect(shard.fill(own, "of this kind", next).status == .stored)
        #expect(shard.get(own).status == .hit)
    }

    /// It acknowledges the record, and has yet to be told that the cluster is sharded.
    @Test func membersAppliedBeforeTheTopologyKindMakeAllKeysBusy() {
        var shard = ShardHarness(isReplicated: true)
        tell(Self.three, isSettled: false, &shard)
        #expect(Set(answers(&shard).keys) == [.busy])
        let place = shard.log.head.position
        shard.core.setTopology(
            frame: report(Self.three, version: 8, asOf: place), now: shard.now)
        #expect(answers(&shard)[.miss] == Self.own(Self.three))
        // Nor is it one of a replicated cluster that reads of earlier days for long.
        var late = ShardHarness(isReplicated: true)
        tell(Self.three, isSettled: true, &late)
        late.core.setTopology(frame: ShardHarness.topology(.replicated), now: late.now)
        #expect(Set(answers(&late).keys) == [.miss])
    }

    @Test func aPublisherThatHasJustLearntToTellStopsNothing() {
        var shard = ShardHarness()
        shard.core.setTopology(
            frame: report(Self.three, version: 7, isSettled: nil), now: shard.now)
        let own = Self.own(Self.three)
        for key in own { _ = shard.set(key, "old") }
        shard.core.setTopology(
            frame: report(Self.three, version: 8, isSettled: false), now: shard.now)
        #expect(answers(&shard)[.hit] == own)
        shard.core.setTopology(frame: report(Self.three, version: 9), now: shard.now)
        #expect(answers(&shard)[.hit] == own)
    }
}
