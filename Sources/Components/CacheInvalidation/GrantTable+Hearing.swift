package import CacheModel

extension GrantTable {
    /// A run introduces itself. If it knows a log, it ran under an earlier publisher and may hold a
    /// lease of that one.
    ///
    /// - Parameter log: ``CacheModel/LogID/none`` from a run that has heard of none.
    /// - Throws: ``Refusal``; nothing has changed then.
    package mutating func introduce(
        _ run: NodeRun, reporting mark: LogMark, of log: LogID, now: Instant
    ) throws(Refusal) {
        guard isRegistered(run.node) else { throw .notRegistered }
        if let known = entries[run.incarnation] {
            guard known.run == run else { throw .incarnationTaken }
        } else {
            let others = entries.values.count { $0.run.node == run.node && $0.grantEnds != nil }
            guard others < InvalidationLimits.runsPerNodeMax else { throw .tooManyRuns }
            if !guards.isOn(.incarnation) { entries = entries.filter { $1.run.node != run.node } }
            let isHeir = log != .none || heirs[run.node] == .run(run.incarnation)
            let mayHold = isHeir && now < inheritedGrantsEnd && guards.isOn(.inheritedGrants)
            if mayHold { isHeirHeard = true }
            entries[run.incarnation] = Entry(
                run: run, reported: mark, log: log, state: .starting,
                grantEnds: mayHold ? inheritedGrantsEnd : nil, lastSignOfLife: now)
        }
        entries[run.incarnation]?.lastSignOfLife = now
        entries[run.incarnation]?.reported = mark
        entries[run.incarnation]?.log = log
        unheard.remove(run.node)
        departed.remove(run.node)
        switch heirs[run.node] {
        case .unknown, .run(run.incarnation): heirs[run.node] = nil
        case .run, .some, nil: break
        }
        newest[run.node] = run.incarnation
        dropForgettable()
    }

    /// A run reports its mark.
    ///
    /// - Parameter log: the log, if the mark is proven to be its; only then it counts as applied.
    package mutating func heard(
        _ run: NodeRun, reporting mark: LogMark, provenIn log: LogID?, state: NodeState? = nil,
        now: Instant
    ) {
        // In place: a copy of the entry would have the marks copied.
        if log != nil { entries[run.incarnation]?.appliedTimes.note(mark.position, now: now) }
        guard var entry = entries[run.incarnation] else { return }
        noteDuplicate(of: run, now: now)
        entry.lastSignOfLife = now
        entry.reported = mark
        if let state { entry.state = state }
        if let log {
            entry.applied = mark.position
            entry.log = log
        }
        entries[run.incarnation] = entry
    }

    /// Another run of a node asks to be taken in while one has a grant.
    package mutating func heardSecondRun(of node: NodeID, now: Instant) {
        duplicates.heardEarlierRun(of: node, now: now)
    }

    /// Notes that another run of the node is newer, and was heard a short time ago.
    private mutating func noteDuplicate(of run: NodeRun, now: Instant) {
        guard let newer = newest[run.node], newer != run.incarnation,
            let other = entries[newer],
            now.elapsed(since: other.lastSignOfLife) < InvalidationLimits.duplicateWindow
        else { return }
        duplicates.heardEarlierRun(of: run.node, now: now)
    }

    /// Answers a request for a lease: decides whether it is granted, and notes the head that the
    /// answer carries.
    ///
    /// A lease needs two things: the mark of the run is the log's, and it has reached the head of
    /// the second-last answer that the run may have received when it asked.
    ///
    /// - Returns: whether the lease is granted.
    package mutating func grant(
        _ run: NodeRun, isOfTheLog: Bool, by answer: LeaseAnswer
    ) -> Bool {
        guard var entry = entries[run.incarnation] else { return false }
        let required = entry.answeredHeads.required(at: answer.askedAt)
        let hasKeptUp = required.map { entry.reported.position >= $0 } ?? true
        entry.answeredHeads.note(answer)
        let isGranted = isOfTheLog && (hasKeptUp || !guards.isOn(.keptUp))
        if isGranted {
            entry.grantEnds = max(answer.grantEnds, entry.grantEnds ?? answer.grantEnds)
            if isRegistered(run.node) { lastGrants[run.node] = answer.answeredAt }
        }
        entries[run.incarnation] = entry
        return isGranted
    }

    /// A lease of that length was granted, and counts until `end`.
    package mutating func note(lease: Duration, until end: Instant, now: Instant) {
        // Of those that end no later the longest counts: there are as many as leases were lowered
        // within the longest of them.
        longestGranted.removeAll { $0.end <= now || $0.lease <= lease && $0.end <= end }
        longestGranted.append((lease, end))
    }

    /// A run ends in order. Where others go on, its node has left; where all end, they do.
    ///
    /// - Complexity: O(runs).
    package mutating func saidGoodbye(_ run: NodeRun, now: Instant) {
        leave(run)
        let areOthersThere = entries.values.contains {
            $0.run.node != run.node && hasGrant($0.run, at: now)
        }
        if newest[run.node] == nil, isRegistered(run.node), areOthersThere {
            departed.insert(run.node)
        }
    }

    /// A run serves no entries any more.
    package mutating func leave(_ run: NodeRun) {
        entries[run.incarnation] = nil
        if newest[run.node] == run.incarnation { newest[run.node] = nil }
    }

    /// Removes the grants that have run out.
    ///
    /// - Returns: the runs that held them.
    /// - Complexity: O(runs).
    package mutating func expire(at now: Instant) -> [NodeRun] {
        var expired: [NodeRun] = []
        for (incarnation, entry) in entries {
            guard let end = entry.grantEnds, end <= now else { continue }
            entries[incarnation]?.grantEnds = nil
            entries[incarnation]?.lastSignOfLife = max(end, entry.lastSignOfLife)
            expired.append(entry.run)
        }
        if inheritedGrantsEnd <= now, !areInheritedGrantsOver {
            areInheritedGrantsOver = true
            expired += heirs.keys.map(NodeRun.unheard)
        }
        if !expired.isEmpty { dropForgettable() }
        duplicates.dropOver(at: now)
        return expired
    }

    /// The run of a node, registered now or not, that an earlier publisher may have granted; `nil`:
    /// none.
    package mutating func inherit(_ heir: Heir?, of node: NodeID) { heirs[node] = heir }

    /// A run that is not taken in follows a log: it may hold a lease of an earlier publisher.
    package mutating func noteHeir(_ run: NodeRun, now: Instant) {
        guard now < inheritedGrantsEnd, !isRegistered(run.node) else { return }
        let alone = Heir.run(run.incarnation)
        if let known = heirs[run.node] {
            if known != alone { heirs[run.node] = Heir.some }
        } else if heirs.count < InvalidationLimits.heirsMax {
            heirs[run.node] = alone
        } else {
            heirs[.unnamed] = Heir.some
        }
    }

    /// The configuration names other nodes. A node that is no longer named keeps its grant, or that
    /// of an earlier publisher, until it ends, and gets no other. A new node holds no lease of the
    /// past.
    package mutating func register(_ nodes: [NodeID]) {
        self.nodes = nodes
        registered = Set(nodes)
        lastGrants = lastGrants.filter { registered.contains($0.key) }
        departed.formIntersection(registered)
        dropForgettable()
    }

    /// Drops runs that hold no grant and are not the newest of a registered node.
    private mutating func dropForgettable() {
        for (incarnation, entry) in entries where entry.grantEnds == nil {
            let node = entry.run.node
            if newest[node] != incarnation || !isRegistered(node) {
                entries[incarnation] = nil
                if newest[node] == incarnation { newest[node] = nil }
            }
        }
    }
}
