import ByteCoding
import CacheAccess
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// In a namespace with write-behind a store and a removal go to the origin, and what is accepted is
/// what is seen.
@Suite struct ShardCoreWritingTests {
    private static func shard() -> ShardHarness {
        var shard = ShardHarness()
        shard.readThrough { _, origin in origin.writesBehind = true }
        return shard
    }

    private static func line(_ key: String) -> WriteLine {
        guard let key = CacheKey(key) else { preconditionFailure("keys of tests are keys") }
        return WriteLine(namespace: .default, key: key)
    }

    @Test func aStoreIsToldToTheOriginAndStoresNothing() {
        var shard = Self.shard()
        #expect(shard.send(shard.setFrame("a", "one")).isEmpty)
        let orders = shard.takeWrites()
        #expect(orders.count == 1 && orders[0].write.key == CacheKey("a"))
        #expect(orders[0].write.change == .put(Array("one".utf8)))
        #expect(orders[0].write.name != .none)
        _ = shard.invalidate(.key("a"))
        let answers = shard.end(orders[0], .taken(shard.core.applied.position))
        #expect(answers.map(\.status) == [.stored] && answers[0].flags == [])
        #expect(shard.ask("a") != nil, "the next reader has it loaded")
    }

    @Test func anAnswerWaitsUntilTheShardHasObeyed() {
        var shard = Self.shard()
        _ = shard.send(shard.setFrame("a", "one"))
        let order = shard.takeWrites().first
        let next = LogPosition(
            epoch: shard.core.applied.position.epoch,
            sequence: shard.core.applied.position.sequence.next)
        #expect(shard.end(order, .taken(next)).isEmpty)
        _ = shard.invalidate(.key("a"))
        #expect(shard.finishedOutcomes().map(\.status) == [.stored])
    }

    @Test func aQueuedWriteAnswersReadersAndNothingElseDoes() {
        var shard = Self.shard()
        let before = shard.ask("a")
        _ = shard.end(before, .text("old"))
        #expect(shard.get("a").text == "old")
        let slow = shard.ask("b")
        _ = shard.send(shard.setFrame("a", "new"))
        _ = shard.send(shard.setFrame("b", "new"))
        let orders = shard.takeWrites()
        #expect(shard.get("a").text == "old", "not accepted yet")
        for (order, key) in zip(orders, ["a", "b"]) {
            shard.core.hold(Self.line(key))
            let answers = shard.end(order, .queued)
            #expect(answers.map(\.status) == [.stored] && answers[0].flags == .queued)
        }
        #expect(shard.end(shard.ask("a"), .text("new")).map(\.text) == ["new"])
        #expect(shard.end(shard.ask("a"), .text("new")).map(\.text) == ["new"])
        let later = shard.ask("b")
        #expect(later != nil, "a load that began before the write is not shared")
        let early = shard.end(slow, .text("old"))
        #expect(early.allSatisfy { $0.text == "old" })
        #expect(shard.end(later, .text("new")).map(\.text) == ["new"])
    }

    @Test func aReleasedKeyIsAnsweredAsEverOnceTheShardHasObeyed() {
        var shard = Self.shard()
        _ = shard.end(shard.ask("a"), .text("old"))
        shard.core.hold(Self.line("a"))
        let next = LogPosition(
            epoch: shard.core.applied.position.epoch,
            sequence: shard.core.applied.position.sequence.next)
        shard.core.release(Self.line("a"), at: next)
        let load = shard.ask("a")
        #expect(load != nil, "what is held is older than the write")
        _ = shard.end(load, .text("new"))
        _ = shard.invalidate(.key("a"))
        _ = shard.end(shard.ask("a"), .text("new"))
        #expect(shard.get("a").text == "new")
        #expect(shard.takeLoads().isEmpty)
    }

    @Test func aRemovalIsToldToo() {
        var shard = Self.shard()
        let frame = shard.frame(.delete, count: 1) { writer in
            Array("a".utf8).withUnsafeBytes { DeleteOperation.append(key: $0, to: &writer) }
        }
        #expect(shard.send(frame).isEmpty)
        let order = shard.takeWrites().first
        #expect(order?.write.change == .delete)
        let answers = shard.end(order, .queued)
        #expect(answers.map(\.status) == [.removed] && answers[0].flags == .queued)
    }

    @Test func aStoreWithATokenFillsTheCache() throws {
        var shard = Self.shard()
        let miss = shard.get("a", .token)
        let token = try #require(miss.fields.token)
        var description = SetOperation.Description()
        description.token = token
        let replies = shard.send(shard.setFrame("a", "filled", description))
        #expect(replies.count == 1 && shard.takeWrites().isEmpty)
        #expect(shard.get("a").text == "filled")
    }

    @Test(arguments: [
        (WriteAnswer.refused(WriteRejection(status: 422)), StoreRefusal.originRefused),
        (.unusable, .queueUnusable),
    ])
    func aRefusalSaysWhy(answer: WriteAnswer, refusal: StoreRefusal) {
        var shard = Self.shard()
        _ = shard.send(shard.setFrame("a", "one"))
        let answers = shard.end(shard.takeWrites().first, answer)
        #expect(answers.map(\.status) == [.refused] && answers[0].detail == refusal.rawValue)
    }

    /// Origins answer with whole pages, and not always with text. A message has 255 bytes.
    @Test(arguments: [
        ([UInt8](repeating: 0x78, count: 256), 255), ([UInt8](repeating: 0xFF, count: 256), 255),
        (Array(("x" + String(repeating: "ü", count: 127)).utf8), 254), ([0xFF], 42),
    ])
    func anOriginsLongWordsAreCut(words: [UInt8], bytes: Int) {
        var shard = Self.shard()
        _ = shard.send(shard.setFrame("a", "one"))
        let refusal = WriteAnswer.refused(WriteRejection(status: 422, words: words))
        let answers = shard.end(shard.takeWrites().first, refusal)
        let message = answers.first?.fields.message ?? ""
        #expect(message.hasPrefix("its origin refused the write with 422: "))
        #expect(message.utf8.count == bytes)
    }

    @Test func aFullQueueIsBusy() {
        var shard = Self.shard()
        _ = shard.send(shard.setFrame("a", "one"))
        #expect(shard.end(shard.takeWrites().first, .full).map(\.status) == [.busy])
    }

    @Test func aTimedOutStoreIsAnsweredOnceWithOriginUnanswered() {
        var shard = Self.shard()
        _ = shard.send(
            shard.setFrame("a", "one", .init(), RequestShape(deadlineMilliseconds: 100)))
        let order = shard.takeWrites().first
        #expect(order?.patience == .milliseconds(50))
        shard.advance(by: .milliseconds(101))
        let answers = shard.finishedOutcomes()
        #expect(answers.map(\.detail) == [StoreRefusal.originUnanswered.rawValue])
        #expect(shard.end(order, .queued).isEmpty)
    }

    @Test func aNamespaceWithoutWriteBehindStoresAsEver() {
        var shard = ShardHarness()
        shard.readThrough()
        #expect(shard.send(shard.setFrame("a", "one")).count == 1)
        #expect(shard.takeWrites().isEmpty)
        #expect(shard.get("a").text == "one")
    }

    /// Who may only invalidate empties the cache, and nothing that lies behind it.
    @Test func aRemovalAtTheOriginTakesTheRightToWrite() throws {
        var shard = Self.shard()
        let key = { (digit: Int) in String(repeating: "0", count: 63) + "\(digit)" }
        shard.core.setAccess(
            try AccessTable(
                listing: """
                    purger  \(key(1))  invalidate
                    part    \(key(2))  write,invalidate  default/b
                    writer  \(key(3))  write
                    one     \(key(4))  invalidate,read   default/a
                    """))
        for who in [1, 2, 4] as [UInt32] {
            let frame = shard.deleteFrame(["a"])
            let answers = shard.send(frame, of: PrincipalNumber(rawValue: who))
            guard case .error(let error) = answers.first else {
                Issue.record("\(who) is refused: \(answers)")
                continue
            }
            #expect(error.knownCode == .unauthorised)
            #expect(shard.takeWrites().isEmpty)
        }
        #expect(shard.core.admission.statistics.denied == 3)
        #expect(shard.send(shard.deleteFrame(["a"]), of: PrincipalNumber(rawValue: 3)).isEmpty)
        #expect(shard.takeWrites().map(\.write.change) == [.delete])
        #expect(shard.send(shard.deleteFrame(["b"]), of: PrincipalNumber(rawValue: 2)).isEmpty)
        #expect(shard.takeWrites().count == 1)
    }

    /// docs/decisions/0122.
    @Test func whereKeysDoNotMoveAForwardedWriteIsTakenOnlyIfAnOperatorRetriesIt() throws {
        var shard = Self.shard()
        let start = shard.core.applied.position
        #expect(try forwarded(&shard, "a", since: start) == .stale)
        #expect(try forwarded(&shard, "a", since: .beyondAll) == .unconditional)
    }

    /// A SET as another node forwards it.
    private func forwardFrame(
        _ shard: inout ShardHarness, _ key: String, since position: LogPosition
    ) -> [UInt8] {
        var frame = shard.setFrame(key, "late")
        let start = MessageHeader.encodedBytes + Int(frame[18]) + Int(frame[19]) << 8
        var writer = ByteWriter()
        writer.append(MessageFields.ID.forwarded)
        writer.append(UInt8(12))
        writer.append(position.epoch.rawValue)
        writer.append(position.sequence.rawValue)
        frame.insert(contentsOf: writer.array, at: start)
        frame[18] += 14
        return frame
    }

    private func forwarded(
        _ shard: inout ShardHarness, _ key: String, since position: LogPosition
    ) throws -> ForwardedWrite {
        let frame = forwardFrame(&shard, key, since: position)
        #expect(shard.send(frame).isEmpty)
        let order = try #require(shard.takeWrites().first)
        return try #require(order.forwarded)
    }

    /// Otherwise it went by the owners of before once the node has a lease again.
    @Test func theQueueHearsThatTheOwnersAreUnknownAlsoInAnotherLog() throws {
        var pair = try SlotPair.begun()
        guard case .known? = pair.second.core.takeSlotsNews() else {
            Issue.record("the owners are known")
            return
        }
        for log in [LogID(1), LogID(2)] {
            pair.second.core.forget(
                continuingFrom: pair.second.log.head, of: log, now: pair.second.now,
                effects: &pair.second.effects)
            guard case .unknown? = pair.second.core.takeSlotsNews() else {
                Issue.record("the queue hears nothing of log \(log)")
                return
            }
        }
    }

    /// The sender keeps it: what is only read here gets no writes, and no entry is stored.
    @Test func aForwardedWriteIsNotTakenInANamespaceWithoutWriteBehind() {
        var shard = ShardHarness()
        shard.readThrough()
        let frame = forwardFrame(&shard, "a", since: .beyondAll)
        #expect(shard.only(frame).status == .busy)
        #expect(shard.takeWrites().isEmpty)
    }

    /// Without one another node may have the key, and newer writes of it.
    @Test func aForwardedWriteIsNotTakenWithoutALease() {
        var shard = Self.shard()
        shard.core.setStanding(.unheard)
        let frame = forwardFrame(&shard, "a", since: .beyondAll)
        #expect(shard.only(frame).status == .busy)
        #expect(shard.takeWrites().isEmpty)
    }

    @Test func forwardingWritesTakesTheRoleNode() throws {
        var shard = Self.shard()
        let key = { (digit: Int) in String(repeating: "0", count: 63) + "\(digit)" }
        shard.core.setAccess(
            try AccessTable(
                listing: """
                    writer  \(key(1))  write
                    boss    \(key(2))  admin,write  *
                    n1      \(key(3))  node
                    """))
        let frame = forwardFrame(&shard, "a", since: .beyondAll)
        for who in [1, 2] as [UInt32] {
            let answers = shard.send(frame, of: PrincipalNumber(rawValue: who))
            guard case .error(let error) = answers.first else {
                Issue.record("\(who) is refused: \(answers)")
                continue
            }
            #expect(error.knownCode == .unauthorised)
            #expect(shard.takeWrites().isEmpty)
        }
        #expect(shard.send(frame, of: PrincipalNumber(rawValue: 3)).isEmpty)
        #expect(shard.takeWrites().count == 1)
    }
}
