import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

/// Fill and invalidate: the races that other caches lost, as scripts.
@Suite struct FillRaceTests {
    static let covering: [Scope] = [
        .key("page/1"), .tag("news"), .prefix("page/"), Scope(.namespace(.default)),
        Scope(.everything),
    ]

    /// Scenarios 1 and 2: the load starts, the invalidation lands, the load ends. Its tags are
    /// known only then.
    @Test(arguments: covering, InvalidationRecord.Strength.allCases)
    func aLoadThatAnInvalidationOvertakesIsNotStored(
        scope: Scope, strength: InvalidationRecord.Strength
    ) {
        let stage = Stage()
        let token = stage.token(0, "page/1")
        stage.invalidate(scope, strength: strength)
        #expect(stage.fill(0, "page/1", "old", token, tags: ["news"])?.refusal != nil)
        #expect(stage.get(0, "page/1")?.status == .miss)
    }

    /// Scenario 3: who comes after the invalidation does not join the older load, and its end takes
    /// nothing away from the newer one.
    @Test func anOlderLoadDoesNotAffectALoadStartedAfterAnInvalidation() {
        let stage = Stage()
        let older = stage.token(0, "a")
        #expect(stage.get(0, "a", .token)?.token == nil, "one at a time")
        stage.invalidate(.key("a"))
        let newer = stage.token(0, "a")
        #expect(newer != nil)
        #expect(stage.fill(0, "a", "old", older)?.refusal == .invalidatedMeanwhile)
        #expect(stage.fill(0, "a", "new", newer)?.status == .stored)
        #expect(stage.get(0, "a")?.text == "new")
    }

    /// Scenario 4: a newer version was stored and evicted; no version is there to compare with.
    @Test func anOlderFillAfterTheNewerValueWasEvictedIsNotStored() {
        let stage = Stage()
        let old = stage.token(0, "a")
        let large = String(repeating: "x", count: 500_000)
        #expect(stage.set(0, "a", large, .init(version: Version(2)))?.status == .stored)
        for number in 0..<80 {
            _ = stage.set(0, "other-\(number)", large, .init(version: Version(1)))
        }
        #expect(stage.get(0, "a")?.status == .miss, "it is to be evicted")
        #expect(stage.fill(0, "a", "v1", old, version: 1)?.refusal != nil)
        #expect(stage.get(0, "a")?.status == .miss)
    }

    /// Scenario 5: two invalidations and a load, in every order.
    @Test func twoInvalidationsAndALoadInAnyOrderLeaveNothingFromBefore() {
        enum Event: CaseIterable { case token, fill, first, second }
        func orders(_ rest: [Event]) -> [[Event]] {
            rest.isEmpty
                ? [[]]
                : rest.flatMap { next in orders(rest.filter { $0 != next }).map { [next] + $0 } }
        }
        for order in orders(Event.allCases) {
            let stage = Stage(nodes: 1)
            var token: FillToken?
            var readAt = 0
            var invalidations = 0
            for event in order {
                switch event {
                case .token:
                    token = stage.token(0, "a")
                    readAt = invalidations
                case .fill: _ = stage.fill(0, "a", "as of \(readAt)", token)
                case .first, .second:
                    invalidations += 1
                    stage.invalidate(.key("a"))
                }
            }
            // A fill before its token is a store by nobody's right.
            guard let token, order.firstIndex(of: .token) ?? 0 < order.firstIndex(of: .fill) ?? 0
            else { continue }
            let found = stage.get(0, "a")
            #expect(
                found?.status == .miss || readAt == 2, "\(order): \(token) \(found?.text ?? "")")
        }
    }

    /// Scenario 6: the load takes longer than the floor that it would have to be held against.
    @Test func aFillThatOutlivesTheFloorsIsNotTrusted() {
        let stage = Stage(nodes: 1)
        let token = stage.token(0, "a")
        stage.invalidate(.tag("news"))
        stage.advance(.seconds(200))
        #expect(stage.fill(0, "a", "old", token, tags: ["news"])?.refusal == .tokenTooOld)
    }

    /// Scenario 7: the refresh of a stale value races another invalidation.
    @Test func aRefreshThatAnInvalidationOvertakesLeavesTheStaleMark() {
        let stage = Stage()
        stage.load(0, "a", "one")
        stage.invalidate(.key("a"), strength: .soft)
        let refresh = stage.token(0, "a")
        stage.invalidate(.key("a"), strength: .soft)
        #expect(stage.fill(0, "a", "still old", refresh)?.refusal != nil)
        #expect(stage.get(0, "a")?.status == .miss)
        let stale = stage.get(0, "a", .allowStale)
        #expect(stale?.status == .stale && stale?.text == "one")
    }

    /// Scenario 8: a 304 comes back for what was purged while the question was out.
    @Test(arguments: InvalidationRecord.Strength.allCases)
    func aConfirmationThatAnInvalidationOvertakesBringsNothingBack(
        strength: InvalidationRecord.Strength
    ) {
        let stage = Stage()
        var stored = SetOperation.Description()
        stored.token = stage.token(0, "a")
        stored.etag = Validator("e1")
        #expect(stage.set(0, "a", "one", stored)?.status == .stored)
        stage.invalidate(.key("a"), strength: .soft)
        let miss = stage.get(0, "a", .token)
        #expect(miss?.fields.etag == Validator("e1"))
        stage.invalidate(.key("a"), strength: strength)
        var renewal = SetOperation.Description()
        renewal.options = .renew
        renewal.token = miss?.token
        renewal.etag = Validator("e1")
        #expect(stage.set(0, "a", "", renewal)?.refusal != nil)
        #expect(stage.get(0, "a")?.status == .miss)
    }

    /// Scenario 9: the disk refuses the record; then nothing was invalidated, and nobody has heard
    /// of it.
    @Test func anInvalidationThatTheDiskRefusesHasNotHappened() {
        let stage = Stage()
        stage.load(0, "a", "one")
        stage.makeDiskSlow()
        let refused = stage.beginInvalidation([.key("a")])
        #expect(stage.get(0, "a")?.status == .hit, "it is not durable yet")
        stage.finishAppend(.storage("no space"))
        #expect(stage.receipt(refused) == nil)
        #expect(stage.get(0, "a")?.status == .hit)
        let again = stage.beginInvalidation([.key("a")])
        stage.finishAppend()
        #expect(stage.receipt(again)?.isComplete == true)
        #expect(stage.get(0, "a")?.status == .miss)
    }

    /// Scenario 11: what is invalidated is not there – yet.
    @Test func invalidatingAnAbsentKeyStopsTheLoadThatIsUnderWay() {
        let stage = Stage()
        let token = stage.token(0, "a")
        stage.invalidate(.key("a"))
        #expect(stage.fill(0, "a", "nothing there", token)?.refusal == .invalidatedMeanwhile)
        stage.load(0, "a", "there now")
        #expect(stage.get(0, "a")?.text == "there now")
    }

    /// Scenario 12: a writer's own read after its own invalidation, on every node.
    @Test func afterAReceiptNoNodeServesTheOldValue() {
        let stage = Stage(nodes: 3)
        for node in 0..<3 { stage.load(node, "a", "old") }
        #expect(stage.invalidate(.key("a"))?.isComplete == true)
        for node in 0..<3 { #expect(stage.get(node, "a")?.status == .miss) }
    }

    /// Scenario 13: what cleans a stale entry up must not take its fresh replacement.
    @Test func sweepingAnInvalidatedEntryLeavesItsReplacement() {
        let stage = Stage(nodes: 1)
        stage.load(0, "a", "old", tags: ["news"])
        stage.invalidate(.tag("news"))
        stage.load(0, "a", "new", tags: ["news"])
        stage.advance(.seconds(200))
        #expect(stage.get(0, "a")?.text == "new")
    }

    // MARK: Races of the protocol

    @Test func hardThenSoftOfOneKeyIsHard() {
        let stage = Stage()
        stage.load(0, "a", "one")
        stage.invalidate(.key("a"))
        stage.invalidate(.key("a"), strength: .soft)
        #expect(stage.get(0, "a", .allowStale)?.status == .miss)
    }

    @Test func aMinimumVersionDoesNotWeakenAnUnconditionalInvalidationBeforeIt() {
        let stage = Stage()
        let token = stage.token(0, "a")
        stage.invalidate(.key("a"))
        stage.invalidate(.key("a", minimumVersion: 2))
        #expect(stage.fill(0, "a", "v3", token, version: 3)?.refusal == .invalidatedMeanwhile)
    }

    @Test func aNewerVersionRefusesAnOlderFillInProgress() {
        let stage = Stage(nodes: 1, isReplicated: false)
        let token = stage.token(0, "a")
        #expect(stage.set(0, "a", "v2", .init(version: Version(2)))?.status == .stored)
        #expect(stage.fill(0, "a", "v1", token, version: 1)?.refusal != nil)
        #expect(stage.get(0, "a")?.text == "v2")
    }

    /// Two writers, two replicas, copies in either order: the later position wins everywhere.
    @Test(arguments: [false, true])
    func twoStoresOnTwoReplicasEndWithOneValue(isFirstCopiedFirst: Bool) {
        let stage = Stage(nodes: 2)
        let one = stage.set(0, "a", "one")
        let two = stage.set(1, "a", "two")
        #expect(one?.status == .stored && two?.status == .stored)
        func copy(_ value: String, _ stored: Outcome?, to node: Int) {
            var description = SetOperation.Description()
            description.token = stored?.token
            _ = stage.set(node, "a", value, description, atLeast: stored?.token?.position)
        }
        if isFirstCopiedFirst {
            copy("one", one, to: 1)
            copy("two", two, to: 0)
        } else {
            copy("two", two, to: 0)
            copy("one", one, to: 1)
        }
        for node in 0..<2 { #expect(stage.get(node, "a")?.text == "two", "n\(node + 1)") }
    }
}
