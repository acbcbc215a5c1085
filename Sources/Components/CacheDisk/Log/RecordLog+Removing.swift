/// Removals that wait for space.
struct PendingRemovals {
    var fingerprints: [Fingerprint] = []
    var hasReset = false

    var isEmpty: Bool { fingerprints.isEmpty && !hasReset }
}

extension RecordLog {
    /// Removes the value of a fingerprint. After this the removal survives any end of the process.
    ///
    /// - Returns: whether everything was removed instead, because too many removals wait: then no
    ///   segment is being emptied any more.
    mutating func remove(_ fingerprint: Fingerprint) -> Bool {
        endStore(fingerprint)
        guard isOpen, let found = index.remove(fingerprint) else { return false }
        noteDead(found)
        if bury(fingerprint) { return false }
        guard removals.fingerprints.count < DiskLimits.pendingRemovalsMax else {
            reset()
            return true
        }
        removals.fingerprints.append(fingerprint)
        tail.say { $0.isUnsafe = true }
        return false
    }

    /// Appends a tombstone if there is space.
    private mutating func bury(_ fingerprint: Fingerprint) -> Bool {
        let bytes = RecordHead.shortBytes
        guard makeRoom(bytes, isRemoval: true) == nil else { return false }
        let offset = end
        let writing = RecordWriting(seal: seal, segment: active)
        tail.append(bytes) {
            writing.write(.tombstone, fingerprint.rawValue, into: $0, at: offset)
        }
        appended(.tombstone, fingerprint, bytes, .short)
        statistics.tombstones += 1
        return true
    }

    /// Removes everything: another epoch, or another log.
    mutating func reset() {
        forgetIndex()
        removals.fingerprints.removeAll()
        endStores()
        for ring in segments.indices {
            switch segments[ring].use {
            case .sealed, .reclaiming:
                segments[ring].use = .free
                shares.free(ring)
            case .free, .active, .leaving, .withdrawn, .returning: break
            }
        }
        let oldest = active == .none ? active.next : active
        removals.hasReset = true
        tail.say {
            // The active one may have been skipped.
            $0.oldest = max($0.oldest, oldest)
            $0.isUnsafe = true
        }
        settle()
    }

    /// Appends pending removals, as far as there is space now.
    mutating func settle() {
        if removals.hasReset {
            let bytes = RecordHead.shortBytes
            guard makeRoom(bytes, isRemoval: true) == nil else { return }
            let offset = end
            let writing = RecordWriting(seal: seal, segment: active)
            tail.append(bytes) { writing.write(.reset, 0, into: $0, at: offset) }
            appended(.reset, .zero, bytes, .short)
            removals.hasReset = false
        }
        while let fingerprint = removals.fingerprints.last {
            // It has a newer record now.
            if index.find(fingerprint) != nil || bury(fingerprint) {
                removals.fingerprints.removeLast()
            } else {
                return
            }
        }
        tail.say { $0.isUnsafe = false }
    }
}
