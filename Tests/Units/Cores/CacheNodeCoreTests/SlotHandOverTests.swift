import ByteCoding
import CacheLoading
import CacheMemory
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Entries that a shard gives to the next owner of their slots: docs/decisions/0120.
@Suite struct SlotHandOverTests {
    /// All slots are n2's, and n1 had an entry.
    private func moved() throws -> SlotPair {
        var pair = try SlotPair.begun()
        #expect(pair.first.set("k", "old").status == .stored)
        try pair.move(to: 2)
        return pair
    }

    private static let keys = (0..<64).map { "key-\($0)" }

    /// The first 8 000 slots are n2's, and n1 had an entry of each key.
    private func halfMoved() throws -> SlotPair {
        var pair = try SlotPair.begun()
        for key in Self.keys { _ = pair.first.set(key, "old") }
        try pair.give(0..<8_000, to: 2)
        try pair.serve()
        return pair
    }

    @Test func aReaderGetsTheEntryOfTheOwnerBefore() throws {
        var pair = try moved()
        let outcome = pair.read("k")
        #expect(outcome?.status == .hit && outcome?.text == "old")
        #expect(pair.second.get("k").text == "old", "it is stored")
        #expect(pair.first.get("k").status == .busy)
    }

    @Test func aKeyThatTheOwnerBeforeDoesNotHaveIsAMiss() throws {
        var pair = try moved()
        #expect(pair.read("other")?.status == .miss)
    }

    @Test func readersOfOneKeyShareOneRequest() throws {
        var pair = try moved()
        _ = pair.second.send(pair.second.getFrame(["k", "k", "x"]))
        _ = pair.second.send(pair.second.getFrame(["k"]))
        let pulls = pair.takePulls()
        #expect(pulls.count == 1)
        let names = pulls.first?.request.keys.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(names == ["k", "x"])
        let outcomes = pair.end(pair.answer(try #require(pulls.first)))
        #expect(outcomes.map(\.text) == ["old", "old", "", "old"])
    }

    @Test func aReaderWaitsForFiftyMilliseconds() throws {
        var pair = try moved()
        let atOnce = pair.second.send(pair.second.getFrame(["k"]))
        #expect(atOnce.isEmpty)
        pair.second.advance(by: HandOverLimits.readerWaitMax)
        #expect(pair.second.finishedOutcomes().map(\.status) == [.miss])
    }

    @Test func noReaderWaitsForAnOwnerThatDoesNotAnswer() throws {
        var pair = try moved()
        _ = pair.second.send(pair.second.getFrame(["k"]))
        let pull = try #require(pair.takePulls().first)
        _ = pair.pulls.ask(pull, of: 0, now: pair.second.now)
        #expect(pair.pulls.nextDeadline == pair.second.now.advanced(by: HandOverLimits.pullTimeout))
        let ended = pair.pulls.timeIsUp(now: pair.second.now.advanced(by: .seconds(1)))
        #expect(ended.count == 1 && pair.pulls.nextDeadline == nil)
        #expect(pair.end(ended.first).map(\.status) == [.miss])
        #expect(pair.read("x")?.status == .miss)
        let later = pair.takePulls()
        #expect(later.isEmpty)
    }

    /// Another run of its node may have one, and store what this one does not know.
    @Test func aRunWithoutALeaseTakesNothing() throws {
        var pair = try SlotPair.begun()
        _ = pair.first.set("k", "old")
        pair.second.core.setStanding(.unheard)
        try pair.move(to: 2)
        pair.second.makeLive()
        #expect(pair.read("k")?.status == .miss)
        let pulls = pair.takePulls()
        #expect(pulls.isEmpty)
    }

    @Test func anOwnerThatDidNotAnswerIsAskedAgainLater() throws {
        var pair = try moved()
        _ = pair.second.send(pair.second.getFrame(["x"]))
        let pull = try #require(pair.takePulls().first)
        _ = pair.end(KeyPulls.failed(pull, of: 0))
        #expect(pair.read("k")?.status == .miss)
        pair.advance(by: HandOverLimits.silencePause)
        #expect(pair.read("k")?.text == "old")
    }

    /// A node that leaves waits for that, and not for keys that no node has.
    @Test func onlyWhatIsGivenIsReported() throws {
        var pair = try moved()
        #expect(pair.read("other")?.status == .miss)
        var reports = pair.takeReports()
        #expect(reports == 0)
        _ = pair.read("k")
        reports = pair.takeReports()
        #expect(reports == 1)
    }

    // MARK: No older value

    /// A late copy must not undo a store, also if its value is over.
    @Test func aKeyThatWasStoredSinceTakesNoEntryOfTheOwnerBefore() throws {
        var pair = try moved()
        _ = pair.second.send(pair.second.getFrame(["k"]))
        let late = pair.answer(try #require(pair.takePulls().first))
        var brief = SetOperation.Description()
        brief.timeToLive = 1_000
        #expect(pair.second.set("k", "new", brief).status == .stored)
        pair.second.advance(by: .seconds(2))
        #expect(pair.end(late).map(\.status) == [.miss])
        #expect(pair.read("k")?.status == .miss)
    }

    /// It would be given to the next owner as if this shard had owned the slot when it came.
    @Test func aValueThatIsLoadedWhileItsSlotMovesIsNotStored() throws {
        var pair = try SlotPair.begun()
        pair.first.readThrough()
        let load = pair.first.ask("k")
        try pair.move(to: 2)
        let answers = pair.first.end(load, .text("late"))
        #expect(answers.map(\.status) == [.busy], "its reader asks the new owner")
        #expect(pair.read("k")?.status == .miss)
    }

    @Test func aKeyWithAnotherLifetimeSinceTakesNoEntryOfTheOwnerBefore() throws {
        var pair = try moved()
        #expect(pair.read("k")?.text == "old")
        _ = pair.second.send(pair.second.touchFrame("k", ttl: 1_000))
        pair.second.advance(by: .seconds(2))
        #expect(pair.read("k")?.status == .miss)
    }

    /// A stall of the owner before is one silence, however many requests it holds up.
    @Test func requestsThatFailTogetherCountOnce() throws {
        var pair = try moved()
        for number in 0..<8 { _ = pair.second.send(pair.second.getFrame(["x\(number)"])) }
        for pull in pair.takePulls() { _ = pair.end(KeyPulls.failed(pull, of: 0)) }
        #expect(pair.read("k")?.status == .miss)
        pair.advance(by: HandOverLimits.silencePause)
        #expect(pair.read("k")?.text == "old")
    }

    @Test func aKeyThatTheOwnerBeforeLacksIsRequestedOnce() throws {
        var pair = try moved()
        #expect(pair.read("other")?.status == .miss)
        #expect(pair.read("other")?.status == .miss)
        let pulls = pair.takePulls()
        #expect(pulls.isEmpty)
    }

    @Test func leftoversAreExplainedAsAbsent() throws {
        var pair = try moved()
        let frame = pair.first.frame(.explain, count: 0) { writer in
            writer.append(UInt16(1))
            writer.append([UInt8]("k".utf8))
        }
        guard case .explanation(let explained)? = pair.first.send(frame).first else {
            Issue.record("the key is explained")
            return
        }
        #expect(explained.verdict == .absent && explained.entry == nil)
    }

    @Test func anInvalidationAfterTheRequestRefusesTheCopy() throws {
        var pair = try moved()
        _ = pair.second.send(pair.second.getFrame(["k"]))
        let late = pair.answer(try #require(pair.takePulls().first))
        pair.invalidate(.key("k"))
        #expect(pair.end(late).map(\.status) == [.miss])
    }

    @Test func anInvalidationThatTheOwnerBeforeAppliedHidesItsEntry() throws {
        var pair = try moved()
        pair.invalidate(.key("k"))
        #expect(pair.read("k")?.status == .miss)
    }

    /// n1 had the slots twice, and stored nothing the second time.
    @Test func aSlotThatWentAndCameBackGivesNothingOfBefore() throws {
        var pair = try moved()
        try pair.move(to: 1)
        let atOnce = pair.first.send(pair.first.getFrame(["k"]))
        #expect(atOnce.isEmpty, "it asks n2")
        pair.advance(by: HandOverLimits.readerWaitMax)
        #expect(pair.first.finishedOutcomes().map(\.status) == [.miss])
        try pair.move(to: 2)
        #expect(pair.read("k")?.status == .miss)
    }

    @Test func anEntryIsGivenForItsMoveOnly() throws {
        var pair = try moved()
        _ = pair.second.send(pair.second.getFrame(["k"]))
        let pull = try #require(pair.takePulls().first)
        var request = pull.request
        request.change = LogPosition(epoch: pull.move.change.epoch, sequence: .none)
        let other = SlotPull(move: pull.move, request: request)
        #expect(pair.answer(other)?.batch?.copies.isEmpty == true)
        request.change = nil
        #expect(pair.answer(SlotPull(move: pull.move, request: request))?.batch == nil)
        #expect(pair.answer(pull)?.batch?.copies.count == 1)
    }

    /// The second shard does not know what the log said meanwhile, and then learns the same table.
    @Test func aGapEndsTheHandOver() throws {
        var pair = try moved()
        _ = pair.second.send(pair.second.getFrame(["k"]))
        let late = pair.answer(try #require(pair.takePulls().first))
        pair.lose()
        pair.second.hear(pair.table)
        #expect(pair.end(late).map(\.status) == [.miss])
        #expect(pair.read("k")?.status == .miss)
        let pulls = pair.takePulls()
        #expect(pulls.isEmpty)
    }

    /// The first shard gives nothing more, and shows nothing of what it lost.
    @Test func aGapHidesWhatIsLeftOfLostSlots() throws {
        var pair = try halfMoved()
        let kept = Self.keys.filter { pair.first.get($0).status == .hit }
        pair.first.core.forget(
            continuingFrom: pair.first.log.head, of: LogID(1), isPending: true,
            now: pair.first.now, effects: &pair.first.effects)
        pair.first.core.settle(TouchedScopes(), from: pair.first.log.head)
        pair.first.hear(pair.table)
        for _ in 0..<100 { pair.advance(by: .milliseconds(100)) }
        for key in kept { #expect(pair.first.get(key).text == "old") }
        let count = pair.first.core.entries.memory.entryCount
        #expect(count == kept.count)
        #expect(try pair.read(#require(Self.keys.first { !kept.contains($0) }))?.status == .miss)
    }

    // MARK: Its end

    @Test func afterAMinuteNothingIsLeftOfAMove() throws {
        var pair = try moved()
        _ = pair.second.send(pair.second.getFrame(["k"]))
        let pull = try #require(pair.takePulls().first)
        let before = pair.first.core.entries.memory.entryCount
        for _ in 0..<70 { pair.advance(by: .seconds(1)) }
        #expect(pair.answer(pull)?.batch?.copies.isEmpty == true)
        let after = pair.first.core.entries.memory.entryCount
        #expect(before == 1 && after == 0)
        #expect(pair.read("k")?.status == .miss)
        let later = pair.takePulls()
        #expect(later.isEmpty)
    }

    @Test func whatIsKeptStaysVisibleWhenAMoveEnds() throws {
        var pair = try halfMoved()
        let kept = Self.keys.filter { pair.first.get($0).status == .hit }
        #expect(kept.count > 10 && kept.count < 54)
        for _ in 0..<70 { pair.advance(by: .seconds(1)) }
        for key in kept { #expect(pair.first.get(key).text == "old") }
    }

    @Test func tooManyStoresEndTheHandOver() throws {
        var pair = try moved()
        for number in 0...HandOverLimits.storedMax {
            _ = pair.second.set("n\(number)", "v")
        }
        #expect(pair.read("k")?.status == .miss)
        let later = pair.takePulls()
        #expect(later.isEmpty)
    }

    // MARK: In the background

    @Test func leftoversAreListedByTheirMove() throws {
        var pair = try halfMoved()
        let kept = Set(Self.keys.filter { pair.first.get($0).status == .hit })
        var arrivals: [SlotMove] = []
        for case .arriving(let moves) in pair.second.effects { arrivals += moves }
        #expect(arrivals.count == 1 && arrivals.first?.slots.count == 8_000)
        var copying = WarmUp(settings, node: pair.second.core.options.node, shardCount: 1)
        var actions: [WarmUp.Action] = []
        copying.arrive(
            arrivals.map { WarmUp.Arrival($0, at: 0) }, now: pair.second.now, into: &actions)
        run(&copying, &actions, &pair)
        #expect(copying.progress.phase == .idle)
        #expect(copying.progress.copiedCount == 64 - kept.count)
        for key in Self.keys where !kept.contains(key) {
            #expect(pair.second.get(key).text == "old")
        }
    }

    private var settings: WarmUpSettings {
        var settings = WarmUpSettings()
        settings.source = .peers
        return settings
    }

    /// Does what the copying says, until it is over.
    private func run(
        _ copying: inout WarmUp, _ actions: inout [WarmUp.Action], _ pair: inout SlotPair
    ) {
        for _ in 0..<1_000 where copying.progress.phase != .idle {
            let due = actions
            actions = []
            for action in due {
                switch action {
                case .ask(let question):
                    let replies = pair.first.sendFrames(
                        question.frame, from: ShardHarness.makePeer(9))
                    for reply in replies {
                        reply.bytes.withUnsafeBytes {
                            copying.answered($0, now: pair.second.now, into: &actions)
                        }
                    }
                case .claim(let claim):
                    let claimed = pair.second.core.claim(
                        claim.keys, in: claim.namespace, of: claim.change, now: pair.second.now)
                    copying.claimed(claim.number, claimed, now: pair.second.now, into: &actions)
                case .store(let batch):
                    let stored = pair.second.core.store(batch, now: pair.second.now)
                    copying.stored(batch.number, stored, now: pair.second.now, into: &actions)
                case .over: break
                }
            }
            guard actions.isEmpty, let deadline = copying.nextDeadline else { continue }
            pair.second.now = max(pair.second.now, deadline)
            copying.timeIsUp(now: pair.second.now, into: &actions)
        }
    }
}
