public import CacheModel
import CacheClientCore
import CacheWire
import Threading

extension CacheCluster {
    /// Explains the state of a key on a node: what the shard that holds it, or would hold it,
    /// knows.
    ///
    /// The question counts, moves and removes nothing.
    ///
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no such node,
    ///   ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public func explain(
        _ key: CacheKey, in namespace: Namespace = .default, on node: NodeID,
        timeout: Duration? = nil
    ) async throws(CacheError) -> KeyExplanation {
        let question = try await question(
            .explanation, of: key, in: namespace, on: node, deadline: loop.deadline(timeout))
        let answer = try await loop.ask(question, .explanation, Explanation.init(decoding:))
        return KeyExplanation(answer, node: node)
    }

    /// Asks a node to compare the value that it would show as fresh with the value of the key's
    /// origin.
    ///
    /// The comparison counts, moves and stores nothing. If the node shows a value, it sends the
    /// origin one request for the whole value, with the low priority of a prefetch.
    ///
    /// A difference does not prove a fault. Perhaps no client invalidated the key, the origin
    /// answers from a lagging replica, or a change is still on its way. Repeat the comparison
    /// before you rely on it.
    ///
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no such node,
    ///   ``CacheError/Code/refused`` if the namespace has no origin, or the node is of a release
    ///   that does not compare, ``CacheError/Code/busy``, ``CacheError/Code/disconnected`` or
    ///   ``CacheError/Code/timedOut``.
    public func compareWithOrigin(
        _ key: CacheKey, in namespace: Namespace = .default, on node: NodeID,
        timeout: Duration? = nil
    ) async throws(CacheError) -> OriginComparison {
        let question = try await question(
            .comparison, of: key, in: namespace, on: node, deadline: loop.deadline(timeout))
        return try await loop.ask(question, .comparison) { message throws(WireRefusal) in
            try OriginComparison(decoding: message.body)
        }
    }

    /// A question about a key to the shard of a node that holds it, or would hold it.
    private func question(
        _ subject: KeyQuestion.Subject, of key: CacheKey, in namespace: Namespace,
        on node: NodeID, deadline: Instant
    ) async throws(CacheError) -> AdminRequest {
        let shards = try await shards(of: node, deadline: deadline)
        let topology = try await loop.topology(deadline: deadline)
        let route = RouteHash(of: key.bytes, in: namespace)
        guard let index = topology.index(of: node),
            let number = topology.shard(of: route, on: index),
            let shard = shards.first(where: { $0 == topology[number] })
        else {
            throw CacheError(.disconnected, "node \(node) has no shard that could hold the key")
        }
        var question = KeyQuestion(subject, of: key, in: namespace)
        var schedule = RetrySchedule(.read, deadline: deadline)
        if subject == .comparison {
            // A retry would ask the origin again. So there is one attempt, with all the time.
            let patience = deadline.elapsed(since: MonotonicClock.now)
            question.deadlineMilliseconds = RetrySchedule.keepingMilliseconds(patience: patience)
            schedule = .init(.read, deadline: deadline, attemptTimeout: patience)
        }
        return AdminRequest(.endpoint(shard.endpoint), schedule) {
            question.encode(requestID: 0, into: &$0)
        }
    }

    /// The node that owns a key; `nil` in a replicated topology, where every node may hold it.
    public func owner(
        of key: CacheKey, in namespace: Namespace = .default, timeout: Duration? = nil
    ) async throws(CacheError) -> NodeID? {
        let topology = try await loop.topology(deadline: loop.deadline(timeout))
        guard topology.kind == .sharded else { return nil }
        return topology.owner(of: key, in: namespace)?.node
    }
}

extension KeyExplanation {
    fileprivate init(_ answer: Explanation, node: NodeID) {
        self.init(
            node: node, verdict: Verdict(answer.verdict), state: answer.state,
            applied: answer.applied,
            leaseLeft: Self.milliseconds(UInt64(answer.leaseLeftMilliseconds)),
            loadLeft: Self.milliseconds(UInt64(answer.loadLeftMilliseconds)),
            tokenBase: Self.known(answer.tokenBase), entry: answer.entry.map(Entry.init),
            floors: answer.floors.map(Floor.init))
    }

    private static func milliseconds(_ count: UInt64) -> Duration? {
        count == 0 ? nil : .milliseconds(Int64(clamping: count))
    }

    fileprivate static func known(_ position: LogPosition) -> LogPosition? {
        position.epoch == .none ? nil : position
    }
}

extension KeyExplanation.Verdict {
    fileprivate init(_ verdict: Explanation.Verdict) {
        switch verdict {
        case .fresh: self = .fresh
        case .absent: self = .absent
        case .expired: self = .expired
        case .invalidated: self = .invalidated
        case .soft: self = .soft
        case .withheld: self = .withheld
        case .forgotten: self = .forgotten
        case .suspectServed: self = .suspectServed
        case .suspectRefused: self = .suspectRefused
        case .suspectHidden: self = .suspectHidden
        }
    }
}

extension KeyExplanation.Entry {
    fileprivate init(_ entry: Explanation.Entry) {
        let duration = { (count: UInt64) in Duration.milliseconds(Int64(clamping: count)) }
        self.init(
            valueBytes: Int(entry.valueBytes), chargedBytes: Int(entry.chargedBytes),
            version: entry.version, etag: entry.etag, tags: entry.tags,
            age: duration(entry.ageMilliseconds),
            timeToLive: entry.ttlMilliseconds.map(duration),
            staleFor: entry.softMilliseconds.map(duration),
            filled: KeyExplanation.known(entry.fill), isUnfenced: entry.isUnfenced)
        representation = entry.representation
    }
}

extension KeyExplanation.Floor {
    fileprivate init(_ floor: Explanation.Floor) {
        let cover: Cover =
            switch floor.cover {
            case .key: .key
            case .tag: .tag(floor.name)
            case .prefix: .prefix(floor.name)
            case .namespace: .namespace
            case .everything: .everything
            case .history: .history
            }
        self.init(
            cover: cover, hard: KeyExplanation.known(floor.hard),
            soft: KeyExplanation.known(floor.soft), minimumVersion: floor.minimumVersion,
            isAboveEntry: floor.isAboveEntry)
    }
}
