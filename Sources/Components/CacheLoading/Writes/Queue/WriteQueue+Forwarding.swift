package import CacheModel
import DequeModule

/// Accepted writes of keys that other nodes own: docs/decisions/0122.
///
///     accepted ── the slot is lost ──▶ forwarded to its owner ──▶ accepted there: over
///        ▲                                 │        └──────────▶ overtaken: set aside
///        │                                 └─ nothing heard: rest, again
///     the slot was never another's
extension WriteQueue {
    /// Keys may have other owners now.
    ///
    /// - Complexity: O(n log n), of the keys with writes.
    package mutating func ownersChanged(
        _ route: @escaping WriteRoute.Choice, now: Instant, into actions: inout [Action]
    ) {
        forwarding.route = route
        forwarding.begin(now: now)
        for namespace in namespaces.keys { namespaces[namespace]?.removeReady() }
        advanceAll(now: now, into: &actions)
        checkInvariants()
    }

    /// This node has keys by other records than before, and no other node had them between.
    ///
    /// - Parameter position: the record now, by that of before; `nil`: it is the same.
    /// - Complexity: O(n log n), of writes.
    package mutating func renew(
        _ position: (WriteLine, LogPosition) -> LogPosition?, into actions: inout [Action]
    ) {
        var renewed: [WriteNumber: LogPosition] = [:]
        for (number, write) in writes {
            guard let since = write.ownedSince else { continue }
            renewed[number] = position(write.content.line, since)
        }
        for (number, since) in renewed { writes[number]?.ownedSince = since }
        let records = renewed.sorted { $0.key < $1.key }
            .filter { writes[$0.key]?.isDirect == false }
            .map { JournalRecord.owned($0.key, $0.value) }
        if !records.isEmpty { note(records, of: [], into: &actions) }
    }

    func route(of number: WriteNumber) -> WriteRoute {
        guard let write = writes[number] else { return .unknown }
        return forwarding.route(write.content.line, write.ownedSince)
    }

    /// Whether the origin is told of a write while its client waits. Else it is accepted first.
    ///
    /// - Parameter isNew: its shard has the key, though the queue may not know it yet. Another node
    ///   may have that of one which has waited.
    func mayBegin(_ number: WriteNumber, isNew: Bool) -> Bool {
        switch route(of: number) {
        case .origin: true
        case .unknown: isNew || !journal.isThere
        case .node, .aside: false
        }
    }

    /// Sends the first write of a key, which is accepted and waits, where it belongs.
    mutating func send(
        _ number: WriteNumber, of line: WriteLine, now: Instant, into actions: inout [Action]
    ) {
        switch route(of: number) {
        case .origin:
            namespaces[line.namespace, default: .init()].add(number)
            replay(line.namespace, now: now, into: &actions)
        case .node(let node, _):
            let target = Forwarding.Target(node: node, namespace: line.namespace)
            forwarding[target].add(number)
            forward(to: target, now: now, into: &actions)
        case .aside: setAside(line, now: now, into: &actions)
        case .unknown: break
        }
    }

    /// The first writes of a key may be older than one that another node has made.
    private mutating func setAside(
        _ line: WriteLine, now: Instant, into actions: inout [Action]
    ) {
        var records: [JournalRecord] = []
        let rejection = WriteRejection(status: WriteRejection.overtaken)
        while let number = lanes[line]?.first, let write = writes[number],
            write.course == .waiting, write.keeping == .durable, route(of: number) == .aside
        {
            lanes[line]?.removeFirst()
            statistics.overtaken += 1
            _ = setRejected(number, rejection)
            records.append(.rejected(number, rejection))
        }
        note(records, of: [], into: &actions)
        finishLine(line, now: now, into: &actions)
    }

    // MARK: Forwarding

    mutating func forwardAll(now: Instant, into actions: inout [Action]) {
        for target in forwarding.targets.keys.sorted() {
            forward(to: target, now: now, into: &actions)
        }
    }

    private mutating func forward(
        to target: Forwarding.Target, now: Instant, into actions: inout [Action]
    ) {
        while forwarding[target].roomCount(now: now) > 0,
            let number = forwarding[target].takeOldest()
        {
            guard let write = writes[number], write.course == .waiting,
                write.keeping == .durable, lanes[write.content.line]?.first == number
            else { continue }
            guard case .node(target.node, let position) = route(of: number) else {
                send(number, of: write.content.line, now: now, into: &actions)
                continue
            }
            writes[number]?.course = .forwarding
            forwarding[target].tryingCount += 1
            actions.append(
                .forward(
                    WriteForward(
                        number, to: target.node, write.content, ownedSince: position)))
        }
    }

    /// The owner has answered, or not in time. An unknown write changes nothing.
    package mutating func forwardEnded(
        _ message: WriteForward, _ outcome: WriteForwardOutcome, now: Instant,
        into actions: inout [Action]
    ) {
        let number = message.number
        let target = Forwarding.Target(node: message.node, namespace: message.write.namespace)
        guard let write = writes[number], write.course == .forwarding else { return }
        forwarding[target].tryingCount -= 1
        writes[number]?.attemptCount += 1
        writes[number]?.course = .waiting
        if case .failed(let failure) = outcome {
            writes[number]?.lastFailure = failure
            forwarding[target].failed(asked: nil, now: now, &jitter)
            send(number, of: write.content.line, now: now, into: &actions)
        } else {
            forwarding[target].heard()
            settle(number, outcome, now: now, into: &actions)
        }
        forward(to: target, now: now, into: &actions)
        checkInvariants()
    }

    /// A forwarded write is over here.
    private mutating func settle(
        _ number: WriteNumber, _ outcome: WriteForwardOutcome, now: Instant,
        into actions: inout [Action]
    ) {
        let rejection: WriteRejection
        switch outcome {
        case .accepted:
            statistics.forwarded += 1
            leave(number, now: now, into: &actions)
            return note([.done(number)], of: [], into: &actions)
        case .refused(let words):
            statistics.rejected += 1
            rejection = words
        case .overtaken, .failed:
            statistics.overtaken += 1
            rejection = WriteRejection(status: WriteRejection.overtaken)
        }
        reject(number, rejection, now: now, into: &actions)
        note([.rejected(number, rejection)], of: [], into: &actions)
    }

    private mutating func finishLine(
        _ line: WriteLine, now: Instant, into actions: inout [Action]
    ) {
        if lanes[line]?.isEmpty == true { lanes[line] = nil }
        releaseIfDone(line, into: &actions)
        advance(line, now: now, into: &actions)
    }
}
