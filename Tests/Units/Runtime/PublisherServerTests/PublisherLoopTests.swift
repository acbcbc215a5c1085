import CacheInvalidation
import CacheModel
import CacheWire
import Storage
import Logging
import PublisherCore
import Testing
import Threading
import ZeroMQ

@testable import PublisherServer

/// A log whose answer comes in the same moment as somebody's order to end, and right behind it.
private struct LateLog: ServedLog {
    private var kept: MemoryLog
    private var batch: [SealedRecord] = []
    private let mailbox: Mailbox<PublisherLetter>
    /// What happens right before.
    private let first: () -> Void

    init(_ mailbox: Mailbox<PublisherLetter>, first: @escaping () -> Void) {
        kept = MemoryLog(id: LogID(7), decode: SealedRecord.kept)
        kept.continueHistory(
            of: LogID(7),
            from: LogMark(
                position: LogPosition(epoch: Epoch(1), sequence: .none),
                digest: LogDigest(startOf: LogID(7))))
        self.mailbox = mailbox
        self.first = first
    }

    var id: LogID { kept.id }
    var head: LogMark { kept.head }
    var tail: SequenceNumber { kept.tail }
    var hasHistory: Bool { kept.hasHistory }
    var outlivesItsProcess: Bool { true }
    var inheritedLease: Duration? { .zero }

    mutating func continueHistory(of id: LogID, from head: LogMark) {
        kept.continueHistory(of: id, from: head)
    }

    mutating func open(_ epoch: Epoch) { kept.open(epoch) }

    mutating func append(
        _ batch: [SealedRecord], expecting head: LogMark
    ) throws(LogRefusal) -> LogProgress {
        self.batch = batch
        first()
        mailbox.post(.stop)
        mailbox.post(.log(.ended(LogOutcome(ticket: LogTicket(1)))))
        return .underWay(LogTicket(1))
    }

    mutating func finish(_ outcome: LogOutcome) {
        do throws(LogRefusal) {
            try kept.append(batch, expecting: head)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    func read(after sequence: SequenceNumber, limit: Int) -> [SealedRecord]? {
        kept.read(after: sequence, limit: limit)
    }

    func digest(at sequence: SequenceNumber) -> LogDigest? { kept.digest(at: sequence) }
}

@Suite struct PublisherLoopTests {
    private let context: Context

    init() throws { context = try Context() }

    /// Asks a publisher that is told to end while its log writes, until it has ended.
    ///
    /// - Parameter late: done by the asker at that moment, so that it is heard after the order.
    /// - Returns: what was answered.
    private func asked(late: @escaping (Asker) throws -> Void = { _ in }) throws -> [[UInt8]] {
        let mailbox = try Mailbox<PublisherLetter>()
        var options = PublisherOptions(
            control: try Endpoint("tcp://127.0.0.1:0"), plan: PublisherPlan(nodes: []))
        options.live = try Endpoint("tcp://127.0.0.1:0")
        var asker: Asker?
        let log = LateLog(mailbox) {
            do {
                if let asker { try late(asker) }
            } catch {
                Issue.record(error)
            }
        }
        let channels = try PublisherChannels(
            options, in: context,
            (Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, nil, nil))
        let who = try Asker(context, channels.bound[0])
        var loop = PublisherLoop(
            options, channels,
            PublisherLog(inMemory: log, freshID: LogID(8), freshCluster: ClusterID(9)),
            topologyVersion: 1)
        asker = who
        try who.invalidate(.none)
        #expect(try loop.run(mailbox) == .stopped)
        let first = try who.awaitReplies()
        try who.turn()
        return first + who.replies
    }

    @Test func whatTheLogAnswersBehindTheOrderToEndIsStillTold() throws {
        let answers = try asked()
        #expect(answers.count == 1)
        try #require(answers.first).withUnsafeBytes {
            let receipt = try Receipt(decoding: MessageView(decoding: $0))
            #expect(receipt.isComplete && receipt.position.sequence.rawValue == 1)
        }
    }

    @Test func aRequestDuringShutdownIsRefusedAsBusy() throws {
        // It may come too late to be read at all, where other work crowds libzmq's thread out.
        var answers: [[UInt8]] = []
        for _ in 0..<10 where answers.count < 2 {
            answers = try asked(late: { try $0.invalidate(.none) })
        }
        try #require(answers.count == 2)
        try answers[1].withUnsafeBytes {
            let error = try ErrorReply(decoding: MessageView(decoding: $0))
            #expect(error.knownCode == .busy && error.message.contains("is stopping"))
        }
    }
}
