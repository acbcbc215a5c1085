package import CacheModel
import DequeModule

/// The order of attempts at an origin, and their outcomes.
extension WriteQueue {
    func mayTryDirectly(_ namespace: Namespace, now: Instant) -> Bool {
        guard let replay = namespaces[namespace], !replay.isOpen else { return true }
        // A node with an empty queue detects by the next write whether the origin is back.
        return !replay.hasReady && replay.roomCount(now: now) > 0
    }

    mutating func tryDirectly(_ number: WriteNumber, into actions: inout [Action]) {
        guard let write = writes[number] else { return }
        writes[number]?.course = .trying
        if namespaces[write.content.namespace]?.isOpen == false {
            writes[number]?.isProbe = true
            namespaces[write.content.namespace]?.tryingCount += 1
        }
        actions.append(.attempt(number, write.content, .direct(patience: write.patience)))
    }

    /// An origin has answered a write, or not in time. An unknown write changes nothing.
    package mutating func attemptEnded(
        _ number: WriteNumber, _ verdict: WriteVerdict, now: Instant, into actions: inout [Action]
    ) {
        guard let write = writes[number], write.course == .trying else { return }
        let namespace = write.content.namespace
        writes[number]?.attemptCount += 1
        if write.isProbe || !write.isDirect {
            namespaces[namespace]?.tryingCount -= 1
            writes[number]?.isProbe = false
        }
        switch verdict {
        case .taken:
            namespaces[namespace, default: .init()].heard()
            announce(number, .taken, into: &actions)
        case .refused(let rejection):
            namespaces[namespace, default: .init()].heard()
            refused(number, write, rejection, now: now, into: &actions)
        case .down(let failure, let retryAfter):
            namespaces[namespace, default: .init()]
                .failed(asked: retryAfter, now: now, &jitter)
            writes[number]?.lastFailure = failure
            writes[number]?.course = .waiting
            if write.isDirect {
                keepPassing(write.content.line, now: now, into: &actions)
            } else {
                // Its key may be another node's by now.
                send(number, of: write.content.line, now: now, into: &actions)
            }
        }
        replay(namespace, now: now, into: &actions)
        checkInvariants()
    }

    /// A waiting client gets the answer. An accepted write is no longer visible, and an
    /// invalidation is published.
    private mutating func refused(
        _ number: WriteNumber, _ write: QueuedWrite, _ rejection: WriteRejection, now: Instant,
        into actions: inout [Action]
    ) {
        statistics.rejected += 1
        guard write.isDirect else {
            return announce(number, .rejected(rejection), into: &actions)
        }
        if let ticket = write.ticket { actions.append(.answer(ticket, .refused(rejection))) }
        leave(number, now: now, into: &actions)
    }

    /// A write is over: the next of its key has its turn.
    mutating func leave(_ number: WriteNumber, now: Instant, into actions: inout [Action]) {
        guard let write = remove(number) else { return }
        bytes -= write.content.costBytes
        step(out: number, of: write.content.line, now: now, into: &actions)
    }

    mutating func step(
        out number: WriteNumber, of line: WriteLine, now: Instant, into actions: inout [Action]
    ) {
        let wasFirst = lanes[line]?.first == number
        if let place = lanes[line]?.firstIndex(of: number) { lanes[line]?.remove(at: place) }
        if lanes[line]?.isEmpty == true {
            lanes[line] = nil
        } else if wasFirst {
            advance(line, now: now, into: &actions)
        }
        releaseIfDone(line, into: &actions)
    }

    mutating func advance(_ line: WriteLine, now: Instant, into actions: inout [Action]) {
        guard let number = lanes[line]?.first, let write = writes[number],
            write.course == .waiting
        else { return }
        switch write.keeping {
        case .memory
        where mayTryDirectly(line.namespace, now: now) && mayBegin(number, isNew: false):
            tryDirectly(number, into: &actions)
        case .memory: keepPassing(line, now: now, into: &actions)
        case .ordered: break
        case .durable:
            send(number, of: line, now: now, into: &actions)
        }
    }

    mutating func replay(_ namespace: Namespace, now: Instant, into actions: inout [Action]) {
        while let replay = namespaces[namespace], replay.roomCount(now: now) > 0,
            let number = namespaces[namespace]?.takeOldest()
        {
            guard let write = writes[number], write.course == .waiting,
                lanes[write.content.line]?.first == number
            else { continue }
            guard route(of: number) == .origin else {
                send(number, of: write.content.line, now: now, into: &actions)
                continue
            }
            writes[number]?.course = .trying
            namespaces[namespace]?.tryingCount += 1
            actions.append(.attempt(number, write.content, .replay))
        }
    }
}
