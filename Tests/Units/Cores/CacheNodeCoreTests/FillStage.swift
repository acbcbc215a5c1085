import ByteCoding
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

extension ShardHarness {
    /// Obeys a record of a log that several shards follow.
    mutating func hear(_ record: SealedRecord) {
        core.apply([record], isAwaited: true, now: now, effects: &effects)
    }

    /// Forgets everything and goes on at a mark.
    mutating func goOn(from mark: LogMark) {
        core.forget(continuingFrom: mark, of: LogID(1), now: now, effects: &effects)
    }
}

/// A node that has just started, and replicas that it is filled from, in a test's hands: what the
/// warm-up asks is answered by real shards, one thing at a time.
final class FillStage {
    /// A replica of one shard.
    final class Replica {
        var shard = ShardHarness(isReplicated: true)
        /// Hears and says nothing.
        var isStopped = false
        /// Answers as a release does that knows no copies.
        var isOld = false
    }

    /// The node that has just started.
    var here: ShardHarness
    var replicas: [String: Replica] = [:]
    private(set) var warmUp: WarmUp
    private var actions: [WarmUp.Action] = []
    /// One for all of them.
    private var log = LogBuilder()
    private let names: [String]

    /// - Parameter names: of the replicas, in the order in which they may be asked.
    init(
        _ names: String..., change: (inout WarmUpSettings) -> Void = { _ in },
        options: (inout ShardOptions) -> Void = { _ in }
    ) {
        var settings = WarmUpSettings()
        change(&settings)
        self.names = names
        here = ShardHarness(isReplicated: true, change: options)
        guard let node = NodeID("n1") else { preconditionFailure("that is a name") }
        warmUp = WarmUp(settings, node: node, shardCount: 1)
        for name in names { replicas[name] = Replica() }
    }

    /// The only replica, or the first.
    var there: Replica {
        guard let replica = replicas[names[0]] else { preconditionFailure("there is one") }
        return replica
    }

    var progress: WarmUp.Progress { warmUp.progress }
    var isOver: Bool { warmUp.isOver }
    var nextDeadline: Instant? { warmUp.nextDeadline }

    // MARK: The log

    /// Appends a record, and has it applied there but not yet here, unless `isHeardHere`.
    @discardableResult
    func invalidate(
        _ scopes: Scope..., strength: InvalidationRecord.Strength = .hard,
        isHeardHere: Bool = true, isHeardThere: Bool = true
    ) -> SealedRecord {
        let record = log.append(scopes, strength: strength)
        if isHeardHere { hear(record) }
        if isHeardThere { for replica in replicas.values { Self.hear(record, replica) } }
        return record
    }

    func hear(_ record: SealedRecord) {
        here.hear(record)
    }

    static func hear(_ record: SealedRecord, _ replica: Replica) {
        replica.shard.hear(record)
    }

    /// The node has started anew: empty, and where the log is now.
    func restart() {
        here = ShardHarness(isReplicated: true)
        here.now = there.shard.now
        here.goOn(from: log.head)
    }

    // MARK: The warm-up

    func begin() {
        warmUp.live(now: here.now)
        let peers = names.compactMap { NodeID($0) }
        warmUp.begin(
            peers.map { WarmUp.Peer(node: $0, shardCount: 1) }, now: here.now, into: &actions)
    }

    func stop() { warmUp.stop(into: &actions) }

    /// What is to be done next: `survey n2`, `list n2`, `claim`, `copies n2`, `store`, `over`, or
    /// nothing while it rests or waits.
    var next: String {
        switch actions.first {
        case .ask(let question): "\(Self.kind(of: question)) \(question.peer)"
        case .claim: "claim"
        case .store: "store"
        case .over: "over"
        case nil: ""
        }
    }

    /// Does that.
    func step() {
        guard !actions.isEmpty else { return }
        switch actions.removeFirst() {
        case .ask(let question): ask(question)
        case .claim(let claim):
            let claimed = here.core.claim(claim.keys, in: claim.namespace, now: here.now)
            warmUp.claimed(claim.number, claimed, now: here.now, into: &actions)
        case .store(let batch):
            let stored = here.core.store(batch, now: here.now)
            warmUp.stored(batch.number, stored, now: here.now, into: &actions)
        case .over: break
        }
    }

    /// Does everything that is due up to `last`, which is not done; passes the time where there is
    /// nothing else to do.
    func run(upTo last: String = "over") {
        for _ in 0..<100_000 {
            if !next.isEmpty, next.hasPrefix(last) { return }
            if !next.isEmpty {
                step()
            } else if let deadline = warmUp.nextDeadline {
                advance(by: deadline.elapsed(since: here.now))
            } else {
                return
            }
        }
        Issue.record("it never comes to \(last)")
    }

    /// Does everything that is due for so long.
    func run(for duration: Duration) {
        let end = here.now.advanced(by: duration)
        while here.now < end {
            guard next.isEmpty else {
                step()
                continue
            }
            let left = end.elapsed(since: here.now)
            let due = warmUp.nextDeadline?.elapsed(since: here.now) ?? left
            advance(by: max(.nanoseconds(1), min(due, left)))
        }
    }

    func advance(by duration: Duration) {
        here.advance(by: duration)
        for replica in replicas.values { replica.shard.advance(by: duration) }
        for name in names { hearWaiting(of: name) }
        warmUp.timeIsUp(now: here.now, into: &actions)
    }

    private static func kind(of question: WarmUp.Question) -> String {
        switch question.frame[3] {
        case MessageType.status.rawValue: "survey"
        case MessageType.scan.rawValue: "list"
        default: "copies"
        }
    }

    private func ask(_ question: WarmUp.Question) {
        guard let replica = replicas[question.peer.name], !replica.isStopped else { return }
        var frame = question.frame
        if replica.isOld { Self.renameFill(in: &frame) }
        for reply in replica.shard.sendFrames(frame, from: ShardHarness.peer) {
            hear(reply.bytes)
        }
    }

    /// What a replica has kept aside and can answer by now.
    private func hearWaiting(of name: String) {
        guard let replica = replicas[name], !replica.isStopped else { return }
        for reply in replica.shard.finishWaitingFrames() { hear(reply.bytes) }
    }

    private func hear(_ frame: [UInt8]) {
        frame.withUnsafeBytes { warmUp.answered($0, now: here.now, into: &actions) }
    }

    /// Renamed to an optional field that no release knows.
    private static func renameFill(in frame: inout [UInt8]) {
        var offset = MessageHeader.encodedBytes
        let end = offset + Int(frame[18]) + Int(frame[19]) << 8
        while offset < end {
            if frame[offset] == MessageFields.ID.fill { frame[offset] = 0x3E }
            offset += 2 + Int(frame[offset + 1])
        }
    }
}
