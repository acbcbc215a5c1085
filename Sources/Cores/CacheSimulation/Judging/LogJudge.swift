import CacheInvalidation
import CacheModel
import CacheNodeCore
import CacheWire
import PublisherCore

/// Judges a publisher's log: it keeps its records, and its receipts are true.
final class LogJudge: WorldPart {
    let timeline: Timeline
    let nodes: SimulatedNodes
    var publisher: SimulatedPublisher { nodes.publisher }
    let disk: SimulatedDisk?
    /// The history of the store of several publishers; `nil` if one is alone.
    let ledger: StoreLedger?
    let chronicle: Chronicle
    let requests: RequestTable
    let leases: LeaseJudge
    private let loads: LoadJudge
    private let configuration: ClusterConfiguration
    /// The durable head of the log, by the reports of its thread.
    private(set) var durableHead = LogMark.none
    /// The id of the log at the last report.
    private(set) var toldID = LogID.none
    /// The greatest epoch that any generation has opened.
    private(set) var openedEpoch = Epoch.none
    /// Whether the log has ever lost its end without a trace, and continued.
    var hasLostUnseen = false

    init(
        _ history: (disk: SimulatedDisk?, ledger: StoreLedger?), _ requests: RequestTable,
        _ configuration: ClusterConfiguration, _ leases: LeaseJudge, _ loads: LoadJudge
    ) {
        (nodes, chronicle) = (leases.nodes, leases.chronicle)
        timeline = nodes.timeline
        (disk, ledger) = (history.disk, history.ledger)
        (self.requests, self.configuration) = (requests, configuration)
        (self.leases, self.loads) = (leases, loads)
    }

    /// Notes the position of the publisher's log, and its durable position.
    ///
    /// - Returns: whether the publisher has opened a new epoch.
    func noteTold() -> Bool {
        let log = publisher.core.log
        let isNew = log.head.position.epoch > openedEpoch
        if isNew { openedEpoch = log.head.position.epoch }
        guard log.hasHistory else { return isNew }
        chronicle.noteEpoch(
            log.head.position.epoch, of: log.id, step: step, generation: publisher.generation)
        if disk != nil { (durableHead, toldID) = (log.head, log.id) }
        return isNew
    }

    /// The publisher sends records for the first time: they were appended in this turn.
    func judgeSent(_ frame: [UInt8]) throws(Violation) {
        let run = try SentFrame.decoded(frame) { try RecordRun(decoding: $0) }
        for record in run.records {
            try Violation.unless(
                record.position <= publisher.core.log.head.position,
                "the publisher sends \(record.position) before its log has it")
            if let ledger {
                if try enter(record, ledger) { try judgeServed(record) }
                continue
            }
            step += 1
            count(.records)
            note(.publisher, "appends scopes:", record.record.scopes.count, at: record.position)
            let operation = record.record.operation
            if operation == .none { count(.echoes) }
            let earlier = operation == .none ? [] : chronicle.records(of: operation)
            if earlier.contains(where: { $0.generation == publisher.generation && !$0.isLost }) {
                throw Violation("the publisher executes an operation again, at \(record.position)")
            }
            let fact = RecordFact(
                record, step: step, time: now, generation: publisher.generation)
            try Violation.unless(
                chronicle.append(fact),
                "the publisher sends \(record.position) as new a second time")
            try judgeServed(record)
            try judgeFailover(record)
        }
    }

    /// Judges records that a shard receives: each must be genuine, and follow the one before it.
    func judgeRecords(
        _ records: [SealedRecord], for shard: SimulatedShard
    ) throws(Violation) {
        for record in records {
            try Violation.unless(
                chronicle.knows(record.digest),
                "\(shard.place) gets \(record.position), which was never appended")
            try Violation.unless(
                record.position.directlyFollows(shard.memory.mark.position)
                    && record.record.previousDigest == shard.memory.mark.digest,
                "\(shard.place) is at \(shard.memory.mark.position) and gets \(record.position), "
                    + "which does not follow it by number and digest")
            shard.memory.obey(record, step: step)
            loads.noteObeyed(record, by: shard)
            note(.shard(shard.place), "obeys", at: record.position)
        }
    }

    /// A publisher without its log must continue no earlier than any position that a node reported
    /// to it; later records are lost.
    ///
    /// - Parameter actions: of the turn of its decision; it may have appended in that turn as well.
    func judgeHistory(before actions: [PublisherAction]) throws(Violation) {
        guard !publisher.memory.hasDecided, publisher.core.log.hasHistory else { return }
        publisher.memory.hasDecided = true
        try judgeWait()
        var head = publisher.core.log.head
        if let first = try firstRecord(in: actions) {
            head.position.sequence = SequenceNumber(first.position.sequence.rawValue - 1)
            head.digest = first.record.previousDigest
        }
        try Violation.unless(
            head.position >= publisher.memory.furthestTold,
            "the restarted publisher continues from \(head.position), though a node reported "
                + "\(publisher.memory.furthestTold)")
        let lostCount = chronicle.keepOnly(
            before: head, of: publisher.core.log.id, step: step
        ).count
        count(.lostRecords, lostCount)
        note(.publisher, "goes on; records lost:", lostCount, at: head.position)
    }

    /// A publisher without its log continues when every node has reported its position, or when the
    /// silent nodes can have no lease any more: after a lease of an earlier publisher plus one
    /// percent. Earlier, its new records could be lost, although a silent node knows of later ones.
    func judgeWait() throws(Violation) {
        // A node that was added to the configuration since then need not be waited for.
        let silent = publisher.memory.membersAtStart.sorted().filter {
            !publisher.memory.greeted.contains(SimulatedNodes.id(of: $0))
        }
        // Without a history to wait for, the present lease is enough.
        let present = Duration.milliseconds(configuration.leaseMilliseconds)
        let lease = settings.shared == nil ? present : publisher.shared.lease
        let waited = publisher.clock.reading(at: now).elapsed(since: publisher.startedAt)
        guard !silent.isEmpty, waited < lease + lease / 100 else { return }
        throw Violation(
            "the restarted publisher continues after \(waited), without a message of nodes "
                + "\(silent)")
    }

    /// A node that received a head knows of it, unless it doubts the sender.
    func judgeKnowledge(of run: SimulatedRun, told frame: [UInt8]) throws(Violation) {
        guard frame[3] == MessageType.heartbeat.rawValue else { return }
        let heartbeat = try SentFrame.decoded(frame) { try Heartbeat(decoding: $0.body) }
        let standing = run.control.standing
        guard standing.state == .live || standing.state == .catchingUp,
            standing.log == heartbeat.log,
            standing.head.epoch == heartbeat.head.position.epoch,
            standing.head < heartbeat.head.position
        else { return }
        throw Violation(
            "run \(run.number) received \(heartbeat.head.position), and knows of nothing "
                + "beyond \(standing.head)")
    }

    /// A publisher that welcomes a node ahead of its log has lost records. It announces that with a
    /// new epoch.
    func judgeWelcome(_ frame: [UInt8], to peer: UInt32) throws(Violation) {
        guard frame[3] == MessageType.welcome.rawValue, let told = publisher.memory.greetings[peer]
        else { return }
        let head = publisher.core.log.head.position
        guard head < told else { return }
        throw Violation("the publisher is at \(head) and welcomes a node that has \(told)")
    }

    private func firstRecord(
        in actions: [PublisherAction]
    ) throws(Violation) -> SealedRecord? {
        for case .broadcast(let frame) in actions where frame[3] == MessageType.records.rawValue {
            return try SentFrame.decoded(frame) { try RecordRun(decoding: $0) }.records.first
        }
        return nil
    }
}
