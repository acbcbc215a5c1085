import CacheClientCore
import CacheModel
import CacheWire

/// Shards that do not answer: docs/decisions/0092.
extension ClientWorker {
    /// Checks which shards have been silent for too long. The publisher, and endpoints that no
    /// topology has named yet, are not watched: they are asked until the deadline, as an
    /// invalidation is worth the wait. A doubted shard is watched to the end, even if the topology
    /// no longer names it.
    ///
    /// - Complexity: O(connections), and O(in flight) for each that falls silent.
    func sweepSilence(at now: Instant) {
        for connection in connections where connection.isWatched {
            switch connection.watch.look(at: now) {
            case .probe: connection.isToBeProbed = true
            case .fellSilent: fellSilent(connection, at: now)
            case nil: break
            }
            watchSilence(of: connection)
        }
    }

    func watchSilence(of connection: ShardConnection) {
        guard connection.isWatched, let due = connection.watch.due else { return }
        nextDue = min(nextDue, due)
    }

    /// Requests that wait for the shard fail or go elsewhere, and so do reads that were sent to it.
    /// Chunks of an upload fail, because they store nothing. A change that was sent keeps its
    /// deadline: its answer may still come, and nothing else reveals its outcome.
    private func fellSilent(_ connection: ShardConnection, at now: Instant) {
        hunt.wanted(at: now)
        nearForTurn = nil
        giveBackGets(of: connection, at: now)
        let questions = connection.questions
        connection.questions = []
        for reference in connection.takeOperations() { route(reference, at: now) }
        for request in questions { route(request, at: now) }
        var reads: [UInt64] = []
        inFlight.forEach { id, sent in
            if sent.connection === connection, sent.content.isRead { reads.append(id) }
        }
        for id in reads { expire(id, at: now) }
        failChunks(on: connection)
    }

    /// The upload begins anew at another replica.
    private func failChunks(on connection: ShardConnection) {
        var chunks: [(id: UInt64, references: [OperationReference])] = []
        inFlight.forEach { id, sent in
            if sent.connection === connection, case .operations(let references) = sent.content,
                references.allSatisfy({ $0.request.isChunk })
            {
                chunks.append((id, references))
            }
        }
        for chunk in chunks {
            close(chunk.id)
            for reference in chunk.references {
                settle(reference, .failed(.unanswering(peerName(connection))))
            }
        }
    }

    /// The node that loads a value while its owner does not answer: of the nodes that answer, the
    /// one that would own the key. In a namespace without an origin it answers MISS.
    ///
    /// - Returns: `nil` if the request is for the owner alone, or no node answers.
    func substitute(
        for reference: OperationReference, in topology: Topology
    ) -> ShardConnection? {
        guard topology.kind == .sharded, reference.request.mayGoElsewhere,
            let slot = topology.owner(
                of: reference.operation.route, where: { mayAnswer($0, in: topology) })
        else { return nil }
        do {
            return try connection(for: slot, in: topology)
        } catch {
            return nil
        }
    }
}

extension ClientWorker.Sent.Content {
    /// Whether it may be repeated elsewhere without a double effect.
    fileprivate var isRead: Bool {
        switch self {
        case .operations(let references): references.allSatisfy { !$0.request.isWrite }
        case .gets: true
        case .question(let request): !request.mayHaveHappened
        case .late, .topology, .probe: false
        }
    }
}

extension OperationReference {
    /// Why an answer of another node in place of a silent owner is not used; `nil` if it is used.
    ///
    /// The answer is used if it came from the origin just now: a value, the absence of one, or the
    /// failure of the load. A stale value in the other node's cache is not used.
    func failure(elsewhere answer: OperationAnswer) -> CacheError? {
        guard let reason = request.progress[index].ownerFailure else { return nil }
        switch answer.status {
        case .miss where answer.flags.contains(.negative): return nil
        case .failed where answer.detail == LoadFailure.noOrigin.rawValue: break
        case .miss, nil: break
        case .stale
        where answer.ageMilliseconds > UInt64(ClientLimits.elsewhereAgeMax.wholeMilliseconds):
            break
        default: return nil
        }
        return reason
    }
}
