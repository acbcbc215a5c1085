import CacheModel
import CacheVerification

/// Walks through everything that a ``TinyCluster`` and the thread beside it may do, in every
/// order, and holds each answer against the oracle.
struct TinyWalk {
    /// One moment: the cluster, and what the thread knows.
    private struct Moment {
        var cluster: TinyCluster
        var oracle: AnswerOracle
    }

    /// What makes two moments the same: their histories do not.
    private struct Known: Hashable {
        let cluster: TinyCluster
        let newest: Version
        let floor: Version
        let otherNewest: Version
        let otherFloor: Version

        init(_ moment: Moment) {
            cluster = moment.cluster
            newest = moment.oracle.newest(of: 0)
            floor = moment.oracle.floor(of: 0)
            otherNewest = moment.oracle.newest(of: 1)
            otherFloor = moment.oracle.floor(of: 1)
        }
    }

    private static let now = Instant(nanoseconds: 1)
    private let keyCount: Int
    private(set) var momentCount = 0
    private(set) var judgedCount = 0
    private(set) var violations: Set<WrongAnswer.Kind> = []
    private var seen: Set<Known> = []

    /// - Parameter keyCount: how many keys things happen to, 1 or 2.
    init(_ fault: TinyCluster.Fault, keyCount: Int, changes: Int, invalidations: Int, gets: Int) {
        self.keyCount = keyCount
        let oracle = AnswerOracle(
            keys: OwnedKeys(first: 0, count: 2), run: RunStamp(1),
            limits: VerificationLimits(deedCountMax: 1, answerCountMax: 1))
        let cluster = TinyCluster(
            fault: fault, changesLeft: changes, invalidationsLeft: invalidations, getsLeft: gets)
        var open = [Moment(cluster: cluster, oracle: oracle)]
        while let moment = open.popLast() {
            guard seen.insert(Known(moment)).inserted else { continue }
            momentCount += 1
            appendDeeds(after: moment, to: &open)
            appendReceipts(after: moment, to: &open)
            appendAnswers(after: moment, to: &open)
        }
    }

    /// What the thread and the log may do next.
    private func appendDeeds(after moment: Moment, to next: inout [Moment]) {
        for key in 0..<keyCount {
            if moment.cluster.changesLeft > 0 {
                var one = moment
                one.cluster.changesLeft -= 1
                one.oracle.changed(key, at: Self.now)
                next.append(one)
            }
            if moment.cluster.invalidationsLeft > 0 {
                var one = moment
                one.cluster.invalidationsLeft -= 1
                one.cluster.log.append(key)
                let ticket = one.oracle.invalidationSent(key, at: Self.now)
                one.cluster.sent.append(.init(ticket: ticket, position: one.cluster.log.count))
                next.append(one)
            }
            for node in 0..<2 where moment.cluster.getsLeft > 0 {
                var one = moment
                one.cluster.getsLeft -= 1
                let floor = one.oracle.floor(of: key).rawValue
                one.cluster.gets.append(
                    .init(key: key, node: node, floor: floor, state: .asked))
                next.append(one)
            }
        }
        for node in 0..<2 where moment.cluster.nodes[node].applied < moment.cluster.log.count {
            var one = moment
            one.cluster.apply(on: node)
            next.append(one)
        }
    }

    /// A receipt may come incomplete at any time, and complete once all have obeyed.
    private func appendReceipts(after moment: Moment, to next: inout [Moment]) {
        for (index, sent) in moment.cluster.sent.enumerated() {
            for isComplete in [false, true]
            where !isComplete || moment.cluster.isObeyed(sent.position) {
                var one = moment
                one.cluster.sent.remove(at: index)
                one.oracle.receipt(sent.ticket, isComplete: isComplete, at: Self.now)
                next.append(one)
            }
        }
    }

    /// A get is answered by its node, its answer arrives, or its fill does.
    private mutating func appendAnswers(after moment: Moment, to next: inout [Moment]) {
        for index in moment.cluster.gets.indices {
            var one = moment
            switch one.cluster.gets[index].state {
            case .asked: one.cluster.answer(index)
            case .filling: one.cluster.store(index)
            case .answered(let entry, let key, let token):
                arrive(entry, of: key, token: token, at: index, in: &one)
            }
            next.append(one)
        }
    }

    private mutating func arrive(
        _ entry: TinyCluster.Entry?, of key: Int, token: Int, at index: Int,
        in moment: inout Moment
    ) {
        let get = moment.cluster.gets[index]
        let answer = JudgedAnswer(
            key: get.key, standing: entry == nil ? .miss : .fresh, floor: Version(get.floor),
            askedAt: Self.now)
        var bytes: [UInt8] = []
        if let entry {
            bytes = Array(repeating: 0, count: 16)
            let value = VerifiedValue(
                key: key, version: Version(UInt64(entry.version)), run: RunStamp(1))
            bytes.withUnsafeMutableBytes { value.write(into: $0) }
            if entry.isDamaged { bytes.removeLast() }
        }
        judgedCount += 1
        let wrong = bytes.withUnsafeBytes {
            moment.oracle.judge(answer, value: $0, at: Self.now)
        }
        if let wrong { violations.insert(wrong.kind) }
        if entry == nil {
            // The database is read now: after the token came.
            let version = UInt8(moment.oracle.newest(of: get.key).rawValue)
            moment.cluster.gets[index].state = .filling(version: version, token: token)
        } else {
            moment.cluster.gets.remove(at: index)
        }
    }
}
