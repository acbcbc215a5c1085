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
        var keeper = WriteKeeper(try setup(isBroken: false), now: start)
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

    @Test func aShardIsToldThatTheJournalWasUnusableAtTheStart() throws {
        let keeper = WriteKeeper(try setup(isBroken: true), now: Instant(nanoseconds: 1))
        #expect(depths() == [QueueDepth(isUnusable: true)])
        let hasQueue = keeper.hasQueue
        #expect(hasQueue)
    }
}
