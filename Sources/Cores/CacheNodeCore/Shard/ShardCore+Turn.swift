import ByteCoding
import CacheMemory
package import CacheModel
import CacheWire

extension ShardCore {
    /// Plans, warms and answers requests, beginning with the one at `start`.
    ///
    /// - Parameters:
    ///   - frames: valid until the replies are written.
    ///   - now: read by the shell right before; a lease that has ended by then is not used.
    ///   - replies: empty before; at most about two frames' worth of bytes after.
    /// - Returns: the index of the first request that was not handled, to begin with next time;
    ///   `frames.count` if there is none.
    package mutating func turn(
        _ frames: UnsafeBufferPointer<RequestFrame>, from start: Int, now: Instant,
        into replies: inout ReplyBuffer, effects: inout [ShardEffect]
    ) -> Int {
        plans.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        var index = start
        // A request that is refused as a whole was not begun.
        replies.mayBeReplaced = true
        while index < frames.count, hashes.count < ShardLimits.operationsPerGroupMax {
            replies.principal = frames[index].principal
            plan(frames[index], now: now, into: &replies)
            index += 1
        }
        for hash in hashes { entries.memory.prefetchEntry(hash) }
        for position in plans.indices {
            let byteCount = replies.byteCount
            replies.principal = plans[position].frame.principal
            replies.mayBeReplaced = plans[position].message.type.isRead
            answer(plans[position], .none, now: now, into: &replies, effects: &effects)
            admission.pay(
                plans[position].frame.principal, bytes: replies.byteCount - byteCount, now: now)
            guard replies.byteCount < ShardLimits.replyBytesPerGroupMax else {
                return index - (plans.count - 1 - position)
            }
        }
        return index
    }

    /// Whether replies that were written while the lease was held may still be sent.
    ///
    /// The lease check and the lookup are one decision: a shell that was paused in between must not
    /// send a reply that is no longer permitted.
    package func mayClaimFresh(now: Instant) -> Bool {
        log.standing.holdsLease(at: now) || !options.guards.isOn(.oneDecision)
    }

    /// Whether entries may be called fresh at `now`. Inlined, because a call copies the core.
    @inline(__always) func holdsLease(at now: Instant) -> Bool {
        log.standing.holdsLease(at: now)
            || log.standing.state.hasLease && !options.guards.isOn(.leaseEnd)
    }

    /// Decodes one request and hashes its keys, or refuses it as a whole.
    ///
    /// - Parameters:
    ///   - isAdmitted: whether its sender's rights were checked on arrival.
    ///   - isOrdered: whether its operation may already be executed: then it cannot be refused as
    ///     if it were not.
    mutating func plan(
        _ frame: RequestFrame, isAdmitted: Bool = false, isOrdered: Bool = false, now: Instant,
        into replies: inout ReplyBuffer
    ) {
        statistics.messages += 1
        let firstHash = hashes.count
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame.bytes)
            if !isAdmitted, admission.identifiesClients {
                try admission.admit(message, of: frame, tags: &tags, now: now)
            }
            guard isOrdered || !message.fields.cluster.contradicts(log.standing.cluster) else {
                throw .wrongCluster
            }
            let namespace = try namespace(of: message)
            guard !message.fields.isFresh || message.type == .get else {
                throw WireRefusal(.unsupported, "only a GET can be FRESH")
            }
            try hashKeys(of: message, in: namespace)
            plans.append(
                Plan(frame: frame, message: message, namespace: namespace, firstHash: firstHash))
        } catch {
            hashes.removeSubrange(firstHash...)
            if error.code == .unauthorised {
                let sender = admission.entry(of: frame.principal)
                recorder.audit.appendDenial(of: frame, by: sender, error)
            }
            guard admission.mayAnswerRefusal(of: frame.principal, now: now) else { return }
            refuse(frame, error, into: &replies)
        }
    }

    /// The number of a message's namespace. A new one gets a number if something may be stored
    /// there or is stored there on disk. Numbers are limited: neither requests for the topology
    /// only nor reads of arbitrary names may use them up.
    private mutating func namespace(
        of message: MessageView
    ) throws(WireRefusal) -> NamespaceNumber {
        let name = message.fields.namespace
        switch message.type {
        case .get, .scan, .explain, .compare:
            if let number = namespaces.known(name) { return number }
            guard let name, try needsNumber(message, in: name) else {
                return NamespaceTable.unnamed
            }
        case .set, .delete, .touch: break
        default: return NamespaceNumber(0)
        }
        guard let number = namespaces.number(of: name) else {
            statistics.refusedNamespaces += 1
            throw WireRefusal(
                .busy,
                """
                this node has as many namespaces as it may: those of the configuration are always \
                served; a restart forgets the others
                """)
        }
        return number
    }

    /// Whether a read in a namespace without a number may be more than a miss: the value is loaded,
    /// its asker may store a value that it loads itself, or it is on disk.
    private func needsNumber(
        _ message: MessageView, in name: UnsafeRawBufferPointer
    ) throws(WireRefusal) -> Bool {
        guard message.type != .scan else { return false }
        guard !namespaces.loadsUnnamed else { return true }
        guard message.type == .get else {
            let question = try KeyQuestion(decoding: message)
            return question.key.bytes.withUnsafeBytes { entries.mayHold($0, in: name) }
        }
        var reader = ByteReader(message.body)
        for _ in 0..<(try message.operationCount()) {
            let operation = try GetOperation(decoding: &reader)
            if operation.options.contains(.token) { return true }
            if entries.mayHold(operation.key, in: name) { return true }
        }
        return false
    }

    /// Decodes every operation once, so that a malformed message is refused before it has any
    /// effect, and prefetches the buckets.
    private mutating func hashKeys(
        of message: MessageView, in namespace: NamespaceNumber
    ) throws(WireRefusal) {
        switch message.type {
        case .get, .set, .delete, .touch: break
        default: return
        }
        var reader = ByteReader(message.body)
        for _ in 0..<(try message.operationCount()) {
            let key = try reader.nextKey(of: message.type, tags: &tags)
            let hash = entries.memory.entries.hasher.hash(key, in: namespace)
            entries.memory.prefetchBucket(hash)
            hashes.append(hash)
        }
        try reader.expectEnd()
    }

    mutating func refuse(
        _ frame: RequestFrame, _ refusal: WireRefusal, into replies: inout ReplyBuffer
    ) {
        refuse(
            frame.peer, requestID: MessageHeader.requestID(ofDamaged: frame.bytes), refusal,
            into: &replies)
    }

    /// Refuses a message as a whole.
    mutating func refuse(
        _ peer: PeerID, requestID: UInt64, _ refusal: WireRefusal, into replies: inout ReplyBuffer
    ) {
        statistics.refusedMessages += 1
        let start = replies.writer.count
        refusal.encode(requestID: requestID, into: &replies.writer)
        replies.close(from: start, to: peer, claimsFresh: false)
    }

    /// Answers one planned request.
    mutating func answer(
        _ plan: Plan, _ evidence: RequestEvidence, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        switch plan.message.type {
        case .get, .set, .delete, .touch, .chunk:
            if plan.message.fields.isFresh, !plan.hasPassedHead,
                options.guards.isOn(.strongRead)
            {
                parkForHead(plan, now: now, into: &replies, effects: &effects)
            } else if let atLeast = plan.message.fields.atLeast, atLeast > log.applied.position,
                options.guards.isOn(.atLeast)
            {
                park(plan, .position(atLeast), now: now, into: &replies)
            } else {
                answerData(plan, evidence, now: now, into: &replies, effects: &effects)
            }
        default:
            answerAdmin(plan, evidence, now: now, into: &replies, effects: &effects)
        }
        // What it read from disk and memory has no room for.
        if entries.disk != nil { entries.memory.entries.dismissGuest() }
    }

    /// Inlined, because a call copies the plan.
    @inline(__always) private mutating func answerData(
        _ plan: Plan, _ evidence: RequestEvidence, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        guard !isDiskAwaited, !log.isStartAwaited else {
            return answerBusy(plan, now: now, into: &replies)
        }
        if plan.message.type == .get, plan.message.fields.isForCopies {
            return answerCopies(plan, evidence, now: now, into: &replies, effects: &effects)
        }
        guard isAnsweredHere(plan, evidence) else {
            return answerBusy(plan, because: .moved, now: now, into: &replies)
        }
        if !namespaces.isConfigured, plan.message.type.needsConfiguration(isDraining) {
            return answerBusy(plan, because: .unconfigured, now: now, into: &replies)
        }
        if cluster.handOver.arrivals.isActive, case .none = evidence,
            waitsForOwnerBefore(plan, now: now, into: &replies, effects: &effects)
        {
            return
        }
        if entries.disk != nil, waitsForDisk(plan, evidence, now: now, into: &replies) { return }
        switch plan.message.type {
        case .get: answerGet(plan, evidence, now: now, into: &replies, effects: &effects)
        case .set where isForOrigin(plan, evidence), .delete where isForOrigin(plan, evidence):
            answerWrite(plan, evidence, now: now, into: &replies, effects: &effects)
        case .set: answerSet(plan, now: now, into: &replies, effects: &effects)
        case .delete: answerDelete(plan, now: now, into: &replies, effects: &effects)
        case .touch: answerTouch(plan, now: now, into: &replies)
        default: answerChunk(plan, now: now, into: &replies)
        }
    }

    /// Begins RESULTS: header, the cluster if the asker names its own, and proof.
    @inline(__always) func beginResults(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer
    ) -> MessageWriter {
        var message = MessageWriter(
            .results, requestID: plan.message.requestID, into: &replies.writer)
        if plan.message.fields.cluster != .none {
            message.field(log.standing.cluster, into: &replies.writer)
        }
        proof(now: now).encode(into: &replies.writer)
        return message
    }

    /// Ends RESULTS and closes the reply.
    mutating func finishResults(
        _ message: MessageWriter, _ plan: Plan, claimsFresh: Bool, now: Instant,
        in replies: inout ReplyBuffer
    ) {
        message.finish(&replies.writer, count: plan.message.count)
        if recorder.samples.pass(plan.message.count) {
            let results = replies.writer.bytes[(message.bodyStart + Proof.encodedBytes)...]
            appendSamples(of: plan, UnsafeRawBufferPointer(rebasing: results), now: now)
        }
        replies.close(from: message.start, to: plan.frame.peer, claimsFresh: claimsFresh)
    }

    /// Not inlined: the message would be copied for every reply, sampled or not.
    @inline(never)
    private mutating func appendSamples(
        of plan: Plan, _ results: UnsafeRawBufferPointer, now: Instant
    ) {
        recorder.samples.append(
            of: plan.message, results, times: waiting.resumedTimes, now: now)
    }

    func proof(now: Instant) -> Proof {
        Proof(
            position: log.applied.position, state: log.standing.state(at: now),
            leaseLeftMilliseconds: log.standing.leaseLeftMilliseconds(at: now),
            // An asker that routed by the same list as this shard's has to request a newer one.
            topologyVersion: cluster.isReportOutdated ? 0 : log.standing.topologyVersion)
    }
}

extension MessageType {
    /// Whether the settings of the namespace decide what is done: what is stored, renewed or
    /// removed follows them, and a removal may have to be sent to an origin.
    fileprivate func needsConfiguration(_ isDraining: Bool) -> Bool {
        switch self {
        // A node that leaves refuses them whatever the settings are.
        case .set, .chunk: !isDraining
        case .delete, .touch: true
        default: false
        }
    }
}
