import CacheModel
import CacheNodeCore
import TestSupport
import Testing
import Threading

@testable import CacheLoading
@testable import CacheServer

@Suite struct WriteKeeperTests {
    private let shard: Mailbox<ShardLetter>
    private let journal: Mailbox<QueueThread.Letter>

    init() throws {
        shard = try Mailbox()
        journal = try Mailbox()
    }

    private func setup(isBroken: Bool) throws -> WriteKeeper.Setup {
        WriteKeeper.Setup(
            journal: WriteKeeper.Journal(
                records: RecoveredJournal(), isBroken: isBroken, mailbox: journal),
            control: try Mailbox(), shards: [shard], seed: 1, logger: LinesLogged().logger)
    }

    /// What the shard was told of the queue, which it shows in its status.
    private func depths() -> [QueueDepth] {
        shard.takeAll().compactMap { letter in
            guard case .queueDepth(let depth) = letter else { return nil }
            return depth
        }
    }

    @Test func aShardIsNotifiedWhenTheJournalFailsAndRecovers() throws {
        let start = Instant(nanoseconds: 1_000_000_000)
        var keeper = WriteKeeper(
            try setup(isBroken: false), of: try #require(NodeID("n1")), now: start)
        #expect(depths().isEmpty)
        keeper.journaled(1, succeeded: false, now: start)
        #expect(depths() == [QueueDepth(isUnusable: true)])
        let deadline = keeper.nextDeadline
        let retry = try #require(deadline)
        keeper.timeIsUp(now: retry)
        guard case .write(let order)? = journal.takeAll().last else {
            Issue.record("the journal is not tried again")
            return
        }
        #expect(depths().isEmpty)
        keeper.journaled(order.number, succeeded: true, now: retry)
        #expect(depths() == [QueueDepth()])
    }

    /// Without a lease another node may have the key, and have written it since.
    @Test func aQueuedWriteIsNotSentToItsOriginOnceTheLeaseIsOver() throws {
        let start = Instant(nanoseconds: 1_000_000_000)
        var keeper = WriteKeeper(
            try setup(isBroken: false), of: try #require(NodeID("n1")), now: start)
        keeper.setTopology(isBySlots: true, asOf: .none, now: start)
        keeper.setSlots(.known(try table(), [:]), now: start)
        let end = start.advanced(by: .seconds(3))
        keeper.setLease(until: end, now: start)
        keeper.asked(try order(), now: start)
        fail(&keeper, 1, now: start)
        keeper.journaled(1, succeeded: true, now: start)
        let due = keeper.nextDeadline
        let retry = try #require(due)
        #expect(retry < end)
        keeper.timeIsUp(now: retry)
        fail(&keeper, 1, now: retry)
        keeper.timeIsUp(now: end.advanced(by: .seconds(60)))
        #expect(keeper.takeOrders().isEmpty)
        let again = end.advanced(by: .seconds(61))
        keeper.setLease(until: again.advanced(by: .seconds(3)), now: again)
        #expect(keeper.takeOrders().count == 1)
    }

    /// The origin does not answer.
    private func fail(_ keeper: inout WriteKeeper, _ number: UInt64, now: Instant) {
        let orders = keeper.takeOrders()
        #expect(orders.count == 1)
        for order in orders {
            keeper.attemptEnded(
                order.ticket, .failed(.unreachable, retryAfter: nil), now: now)
        }
    }

    private func table() throws -> SlotTable {
        let number = MemberNumber(1)
        let member = SlotMember(
            node: try #require(NodeID("n1")), state: .member, shardCount: 1,
            weightThousandths: 1_000)
        let first = try #require(HashSlot(0))
        let run = try #require(
            SlotChange.Run(
                first: first, count: HashSlot.count, owner: SlotOwner(member: number, shard: 0)))
        var table = SlotTable(beginningOf: Epoch(1))
        let change = SlotChange(rows: [SlotChange.Row(number, member)], runs: [run])
        let at = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1))
        let isApplied = table.apply(change, at: at)
        #expect(isApplied)
        return table
    }

    private func order() throws -> WriteOrder {
        let write = OriginWrite(
            namespace: .default, key: try #require(CacheKey("a")), change: .put([1]),
            name: OperationID(high: 1, low: 1))
        var order = WriteOrder(
            ticket: WriteTicket(shard: 0, number: 1), write: write, patience: .seconds(1))
        order.ownedSince = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1))
        return order
    }

    @Test func aShardIsToldThatTheJournalWasUnusableAtTheStart() throws {
        let keeper = WriteKeeper(
            try setup(isBroken: true), of: try #require(NodeID("n1")), now: Instant(nanoseconds: 1))
        #expect(depths() == [QueueDepth(isUnusable: true)])
        let hasQueue = keeper.hasQueue
        #expect(hasQueue)
    }
}
