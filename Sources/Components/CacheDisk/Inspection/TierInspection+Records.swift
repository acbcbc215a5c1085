/// Each record is counted, and reported if requested.
extension TierInspection {
    /// - Parameter content: of an entry that was read.
    mutating func noteWhole(
        _ record: SegmentFooter.Entry, _ range: Range<Int>, content: DiskEntry?
    ) {
        let state = state(of: record, expires: content?.expires)
        var tally = facts.segments[look.index].tally
        tally.records += 1
        switch state {
        case .tombstone: tally.tombstones += 1
        case .reset: tally.resets += 1
        case .part:
            tally.parts += 1
            if isDividedLive(record) { tally.liveBytes += range.count }
        case .live, .expired:
            tally.live += 1
            tally.liveBytes += range.count
            if state == .expired { tally.expired += 1 }
        case .overwritten, .removed, .damaged, .void: break
        }
        facts.segments[look.index].tally = tally
        list(record, range, state, content)
    }

    /// - Parameter record: as described by the footer.
    mutating func noteDamaged(_ record: SegmentFooter.Entry, _ range: Range<Int>) {
        facts.segments[look.index].tally.damaged += 1
        if record.kind == .entry || record.kind == .divided, isLive(record) {
            facts.segments[look.index].tally.damagedLive += 1
        }
        list(record, range, .damaged, nil)
    }

    private mutating func list(
        _ record: SegmentFooter.Entry, _ range: Range<Int>, _ state: InspectedRecord.State,
        _ content: DiskEntry?
    ) {
        guard plan.lists else { return }
        records.append(
            InspectedRecord(
                segment: look.number, offset: range.lowerBound, bytes: range.count, state: state,
                fingerprint: record.kind == .reset ? nil : record.fingerprint,
                content: content.map { entry in
                    InspectedRecord.Content(entry, valueBytes: valueBytes(entry, record.kind))
                }))
    }

    /// For an entry in parts the record holds their list.
    private func valueBytes(_ entry: DiskEntry, _ kind: RecordKind) -> Int {
        guard kind == .divided, let list = PartList(entry.value) else { return entry.value.count }
        return list.valueBytes
    }

    private func state(
        of record: SegmentFooter.Entry, expires: TierTime?
    ) -> InspectedRecord.State {
        switch record.kind {
        case .tombstone: return .tombstone
        case .reset: return .reset
        case .part: return .part
        case .entry, .divided: break
        }
        guard case .recovered(_, let damageCount)? = facts.log else { return .void }
        if facts.segments[look.index].isVoid { return .void }
        guard let newest = tier.log.index.find(record.fingerprint) else {
            // A record dropped because of damage and one removed by a tombstone look the same.
            let mayBeForgotten = damageCount > 0 && look.number == tier.log.tail.state.oldest
            return mayBeForgotten ? .void : .removed
        }
        guard newest.address == tier.log.address(look.number, record.offset) else {
            return .overwritten
        }
        if let expires, let now = plan.now, expires <= now { return .expired }
        return .live
    }

    /// Whether its fingerprint's entry consists of parts: these, or later ones.
    private func isDividedLive(_ part: SegmentFooter.Entry) -> Bool {
        guard !facts.segments[look.index].isVoid, let found = tier.log.index.find(part.fingerprint)
        else { return false }
        return found.lengthClass > tier.log.wholeClassMax
    }

    private func isLive(_ record: SegmentFooter.Entry) -> Bool {
        tier.log.index.find(record.fingerprint)?.address
            == tier.log.address(look.number, record.offset)
    }
}
