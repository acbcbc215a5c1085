import CacheModel
import ZeroMQ

/// Every bound of the publisher's shell, side by side.
enum PublisherServerLimits {
    /// Messages that one turn takes from each channel.
    static let messagesPerTurn = 256
    /// Messages queued for one peer of the control channel; beyond it its replies are dropped.
    static let controlQueueMax = 1_000
    /// Replies from this length on are counted until they are taken; receipts and PONGs are
    /// shorter.
    static let countedReplyBytesMin = 256
    /// Bytes of such replies that one connection, one key over all its connections, and all
    /// connections together may leave untaken. Beyond them replies are dropped; a client without a
    /// reply retries.
    static let untakenBytesMax = 8 << 20
    static let untakenOfKeyBytesMax = 16 << 20
    static let untakenOfAllBytesMax = 256 << 20
    static let untaken = UntakenReplies.Ledger.Limits(
        peerBytesMax: untakenBytesMax, holderBytesMax: untakenOfKeyBytesMax,
        allBytesMax: untakenOfAllBytesMax)
    /// Longest frame that the control channel takes: an invalidation of a whole record, with its
    /// header. A sender without a known key can make the publisher buffer as much.
    static let controlFrameBytesMax = 80 << 10
    /// Messages queued for one subscriber; beyond it they are dropped and replayed later. With
    /// frames of at most 128 KiB a subscriber that reads nothing costs 128 MiB at worst.
    static let liveQueueMax = 1_000
    /// Subscriptions queued of one subscriber: one for each of the two topics. libzmq takes all
    /// queued subscriptions before any other work, and more may come meanwhile. With a long queue
    /// that never ended, and topics could not be counted before they filled the memory.
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
    /// How often the floors are saved, and how often at most after many records.
    static let floorsPeriod: Duration = .seconds(300)
    static let floorsPeriodMin: Duration = .seconds(30)
    /// The number of records that counts as many.
    static let floorsRecordsMax: UInt64 = 1_000_000

    static func floorsPeriod(after records: UInt64) -> Duration {
        records >= floorsRecordsMax ? floorsPeriodMin : floorsPeriod
    }

    /// Time between two looks at the counters of etcd.
    static let storeNoteSpacing: Duration = .milliseconds(500)
    /// Longest wait for the leadership to be given up, after its writes and its removal.
    static let leavingMax: Duration = .seconds(3)

    /// How long keys wait for nodes before that is logged.
    static let membersPatience: Duration = .seconds(2)

    /// How long binding the live channel's endpoints again may take before it is logged, and the
    /// pause between two attempts, before and after that.
    static let rebindPatience: Duration = .seconds(2)
    static let rebindPause: Duration = .milliseconds(2)
    static let rebindLongPause: Duration = .milliseconds(250)

    /// Longest wait of a turn, whatever the core's deadline.
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
