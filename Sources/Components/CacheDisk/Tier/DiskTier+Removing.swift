package import CacheModel

extension DiskTier {
    /// Removes the value of a fingerprint. After this the removal survives any end of the process.
    ///
    /// Also for a key with a new value in memory: the old one must not come back. Nothing is
    /// appended if the index lacks the fingerprint. Not to be called before the tier is open.
    package mutating func remove(
        _ fingerprint: Fingerprint, into commands: inout [DiskCommand]
    ) {
        expectBegun()
        endStoring(fingerprint)
        guard case .open = state, let found = index.remove(fingerprint) else { return }
        noteDead(found)
        if !bury(fingerprint, into: &commands) { postpone(fingerprint, into: &commands) }
    }

    /// Appends a tombstone if there is space.
    private mutating func bury(
        _ fingerprint: Fingerprint, into commands: inout [DiskCommand]
    ) -> Bool {
        let bytes = RecordHead.shortBytes
        guard makeRoom(bytes, isRemoval: true, into: &commands) == nil else { return false }
        let offset = end
        let writing = RecordWriting(seal: seal, segment: active)
        tail.append(bytes) {
            writing.write(.tombstone, fingerprint.rawValue, into: $0, at: offset)
        }
        appended(.tombstone, fingerprint, bytes, .short)
        statistics.tombstones += 1
        return true
    }

    private mutating func postpone(
        _ fingerprint: Fingerprint, into commands: inout [DiskCommand]
    ) {
        guard pending.count < DiskLimits.pendingRemovalsMax else {
            return forgetEverything(into: &commands)
        }
        pending.append(fingerprint)
        tail.say { $0.isUnsafe = true }
    }

    /// Voids all entries of the tier: another epoch, or another log. Not to be called before the
    /// tier is open.
    package mutating func reset(into commands: inout [DiskCommand]) {
        expectBegun()
        guard state == .open else { return }
        forgetEverything(into: &commands)
    }

    private mutating func forgetEverything(into commands: inout [DiskCommand]) {
        index.removeAll()
        pending.removeAll()
        endStoringAll()
        endReclaim()
        noteAllDead()
        for ring in segments.indices {
            switch segments[ring].use {
            case .sealed, .reclaiming:
                segments[ring].use = .free
                shares.free(ring)
            case .free, .active, .leaving, .withdrawn, .returning: break
            }
        }
        let oldest = active == .none ? active.next : active
        isResetPending = true
        tail.say {
            // The active one may have been skipped.
            $0.oldest = max($0.oldest, oldest)
            $0.isUnsafe = true
        }
        settle(into: &commands)
    }

    /// Appends pending removals, as far as there is space now.
    mutating func settle(into commands: inout [DiskCommand]) {
        if isResetPending {
            let bytes = RecordHead.shortBytes
            guard makeRoom(bytes, isRemoval: true, into: &commands) == nil else { return }
            let offset = end
            let writing = RecordWriting(seal: seal, segment: active)
            tail.append(bytes) { writing.write(.reset, 0, into: $0, at: offset) }
            appended(.reset, .zero, bytes, .short)
            isResetPending = false
        }
        while let fingerprint = pending.last {
            // It has a newer record now.
            if index.find(fingerprint) != nil || bury(fingerprint, into: &commands) {
                pending.removeLast()
            } else {
                return
            }
        }
        tail.say { $0.isUnsafe = false }
    }

    /// Notes that the publisher's log is applied up to this record: its keys are removed. Pending
    /// removals make the tier unsafe; the mark counts once they are done.
    package mutating func noteObeyed(_ mark: LogMark) {
        guard state == .open else { return }
        tail.say { $0.obeyed = mark }
    }
}
