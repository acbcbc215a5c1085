package import CacheModel
import CacheWire

/// Requests to peers, and their answers.
extension WarmUp {
    mutating func survey(_ shard: Int, now: Instant, into actions: inout [Action]) {
        ask(shard, .survey, .survey(shard: shard), now: now, into: &actions)
    }

    mutating func list(_ place: Place, now: Instant, into actions: inout [Action]) {
        pace.rest(WarmUpLimits.pageRest, now: now)
        ask(
            place.shard, .page(place, cursor: cursor), .page(place), now: now, into: &actions)
    }

    mutating func claim(_ batch: Wanted, now: Instant, into actions: inout [Action]) {
        let number = begin(.claim(batch), now: now)
        actions.append(
            .claim(
                Claim(
                    number: number, shard: batch.shard, namespace: batch.namespace,
                    keys: batch.keys, change: visit?.peer.change)))
    }

    private mutating func ask(
        _ shard: Int, _ content: Content, _ step: Step, now: Instant,
        into actions: inout [Action]
    ) {
        guard let peer = visit?.peer else { return }
        let number = begin(step, now: now)
        actions.append(
            .ask(
                Question(
                    number: number, peer: peer.node, shard: shard, change: peer.change,
                    content: content)))
    }

    /// A peer's shard has answered; an answer to any request but the last is ignored.
    package mutating func answered(
        _ frame: UnsafeRawBufferPointer, now: Instant, into actions: inout [Action]
    ) {
        guard MessageHeader.requestID(ofDamaged: frame) == number, !isOver else { return }
        switch step {
        case .survey(let shard): surveyed(shard, frame, now: now, into: &actions)
        case .page(let place): listed(place, frame, now: now, into: &actions)
        case .copies(let asked):
            let reading = CopyReading.read(frame, of: asked.request, partial: partial)
            copied(asked, reading, now: now, into: &actions)
        case .none, .claim, .store, .rest: break
        }
    }

    /// A peer's shard cannot be reached.
    package mutating func unanswered(
        _ number: UInt64, now: Instant, into actions: inout [Action]
    ) {
        guard number == self.number, !isOver else { return }
        switch step {
        case .survey, .page, .copies: leavePeer(isSilent: true, now: now, into: &actions)
        case .none, .claim, .store, .rest: break
        }
    }

    // MARK: Contents of a peer

    private mutating func surveyed(
        _ shard: Int, _ frame: UnsafeRawBufferPointer, now: Instant,
        into actions: inout [Action]
    ) {
        guard let report = CopyReading.survey(frame) else {
            return leavePeer(now: now, into: &actions)
        }
        guard report.gives else {
            // It has not applied the record yet, as a rule.
            guard let change = visit?.peer.change, report.applied < change else {
                return leavePeer(now: now, into: &actions)
            }
            return awaitPeer(now: now, into: &actions)
        }
        // The owner before of slots may be leaving.
        guard report.state == .live || visit?.peer.arrival != nil && report.state == .draining
        else { return awaitPeer(now: now, into: &actions) }
        visit?.awaitedUntil = nil
        unsurveyed = (shard + 1)..<unsurveyed.upperBound
        for (namespace, count) in report.entries {
            progress.keyCount += count
            places.append(Place(shard: shard, namespace: namespace, isHottest: false))
            // A page of all keys shows so few as well.
            if count > WarmUpLimits.keysPerPageMax {
                places.append(Place(shard: shard, namespace: namespace, isHottest: true))
            }
        }
        if unsurveyed.isEmpty {
            let (hottest, all) = (places.filter(\.isHottest), places.filter { !$0.isHottest })
            places = (hottest + all).reversed()
            progress.phase = .copying
        }
        proceed(now: now, into: &actions)
    }

    private mutating func listed(
        _ place: Place, _ frame: UnsafeRawBufferPointer, now: Instant,
        into actions: inout [Action]
    ) {
        // A page without progress would list the same keys for ever.
        guard let page = CopyReading.page(frame),
            page.nextCursor == 0 || page.nextCursor > cursor
        else { return leavePeer(now: now, into: &actions) }
        cursor = page.nextCursor
        if cursor == 0 { places.removeLast() }
        wanted = batches(of: page.lines, at: place).reversed()
        proceed(now: now, into: &actions)
    }

    /// The shard of this node that a listed key is for; `nil`: none.
    private func shard(of key: CacheKey, in namespace: Namespace) -> Int? {
        guard let arrival = visit?.peer.arrival else {
            return own.owner(of: key, in: namespace).map { Int($0.shard) }
        }
        let slot = key.bytes.withUnsafeBytes { HashSlot(of: $0) }
        return arrival.move.slots.contains(slot) ? arrival.shard : nil
    }

    /// The keys of a page, by this node's shards, in batches of one request each. A value of
    /// several frames is requested alone.
    private func batches(of lines: [ScanPage.Line], at place: Place) -> [Wanted] {
        var batches: [Wanted] = []
        var open: [Int: (index: Int, bytes: Int)] = [:]
        for line in lines {
            guard let shard = shard(of: line.key, in: place.namespace) else { continue }
            let bytes = line.valueBytes + line.key.bytes.count
            if let (index, used) = open[shard], used + bytes <= pace.bytesPerBatch,
                batches[index].keys.count < pace.keysPerBatch
            {
                batches[index].keys.append(line.key)
                open[shard] = (index, used + bytes)
                continue
            }
            open[shard] = (batches.count, bytes)
            batches.append(
                Wanted(
                    from: place.shard, shard: shard, namespace: place.namespace, keys: [line.key],
                    isHottest: place.isHottest))
        }
        return batches
    }
}
