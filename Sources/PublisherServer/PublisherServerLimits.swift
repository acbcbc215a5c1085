import CacheModel
import ZeroMQ

/// Every bound of the publisher's shell, side by side.
enum PublisherServerLimits {
    /// Messages that one turn takes from each channel.
    static let messagesPerTurn = 256
    /// Messages queued for one peer of the control channel; beyond it its replies are dropped.
    static let controlQueueMax = 1_000
    /// Replies from this length on are counted until they are taken; receipts and PONGs are shorter
    /// than that.
    static let countedReplyBytesMin = 256
    /// Bytes of them that one connection, one key over all its connections, and all together may
    /// leave: beyond them replies are dropped. Who is told nothing asks again.
    static let untakenBytesMax = 8 << 20
    static let untakenOfKeyBytesMax = 16 << 20
    static let untakenOfAllBytesMax = 256 << 20
    static let untaken = UntakenReplies.Ledger.Limits(
        peerBytesMax: untakenBytesMax, holderBytesMax: untakenOfKeyBytesMax,
        allBytesMax: untakenOfAllBytesMax)
    /// Longest frame that the control channel takes: an invalidation of a whole record, with its
    /// header. Who has not shown who it is can make the publisher hold as much.
    static let controlFrameBytesMax = 80 << 10
    /// Messages queued for one subscriber; beyond it they are dropped and replayed later. With
    /// frames of at most 128 KiB one that stands still costs 128 MiB at worst.
    static let liveQueueMax = 1_000
    /// Subscriptions that wait of one subscriber: of both topics there are. libzmq takes all that
    /// wait before it lets anybody else do anything, and while it takes them more may come: with
    /// a long queue that never ended, and topics could not be counted before they fill the memory.
    static let subscriptionQueueMax = 2
    /// Topics that are none of ours, of one key and of all together, before the live channel is
    /// opened anew: libzmq keeps each of them.
    static let strangeTopicsMax = 1_000
    static let strangeTopicsTotalMax = 16_000
    /// Longest frame that a subscriber may send: it only subscribes.
    static let subscriptionBytesMax = 1_024
    /// How long closing waits until the last replies are sent.
    static let linger: Duration = .milliseconds(500)
    /// How long the ports stay open after the last replies. A peer that connects drops what it has
    /// not read when the connection ends.
    static let farewell: Duration = .milliseconds(250)
    /// How often what the log has touched is saved, and how often at most where much is.
    static let floorsPeriod: Duration = .seconds(300)
    static let floorsPeriodMin: Duration = .seconds(30)
    /// So many records are much.
    static let floorsRecordsMax: UInt64 = 1_000_000

    static func floorsPeriod(after records: UInt64) -> Duration {
        records >= floorsRecordsMax ? floorsPeriodMin : floorsPeriod
    }

    /// How long keys wait for nodes before it is said.
    static let membersPatience: Duration = .seconds(2)

    /// How long the live channel's place may take to become free when it is opened anew before
    /// that is said, and how long is waited between two attempts, before and after.
    static let rebindPatience: Duration = .seconds(2)
    static let rebindPause: Duration = .milliseconds(2)
    static let rebindLongPause: Duration = .milliseconds(250)

    /// Longest wait of a turn, whatever the mind's deadline.
    static let waitMax: Duration = .seconds(60)

    /// Longest wait of a turn; shorter while the live channel is not bound.
    ///
    /// - Parameter isLong: whether it has not been for long; `nil` where it is bound.
    static func waitMax(isUnboundFor isLong: Bool?) -> Duration {
        isLong.map { $0 ? rebindLongPause : rebindPause } ?? waitMax
    }

    /// The relations that must hold. Called by the tests.
    static func check() {
        precondition(linger <= ZeroMQLimits.lingerMax, "closing waits a bounded time")
        precondition(
            subscriptionBytesMax >= ZeroMQLimits.subscriptionBytesMax,
            "every subscription gets through")
        precondition(
            controlQueueMax * countedReplyBytesMin <= untakenBytesMax,
            "what is not counted of a connection is less than what is")
        precondition(
            controlFrameBytesMax >= InvalidationRecord.bytesMax + 8_192,
            "every invalidation gets through")
    }
}
