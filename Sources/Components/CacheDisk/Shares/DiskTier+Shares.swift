/// A namespace's share of the ring: docs/decisions/0104-bound-a-namespaces-share-of-the-disk.md
extension DiskTier {
    /// The account of the namespace with this hash of its name.
    ///
    /// - Complexity: O(1).
    package mutating func account(of room: UInt64) -> DiskAccount { shares.account(of: room) }

    mutating func account(of namespace: UnsafeRawBufferPointer) -> DiskAccount {
        shares.account(of: hasher.room(of: namespace))
    }

    /// Limits the ring bytes of a namespace's records; `nil`: no limit.
    ///
    /// Records above it are dropped as the ring wraps. A value above it that still waits to be
    /// appended in parts is not appended.
    package mutating func setShare(_ bytesMax: Int?, of account: DiskAccount) {
        shares.setBound(bytesMax ?? .max, of: account)
        while !shares.hasRoom(for: 0, account),
            let store = storing.first(where: { $0.account == account })
        {
            shares.noteDeclined(account)
            endStoring(store.fingerprint)
        }
    }

    /// The ring bytes of the namespace's records, and the number declined since the tier was
    /// opened.
    package func shareUsage(of account: DiskAccount) -> (bytes: Int, declined: UInt64) {
        (shares.taken(account), shares.accounts[account.index].declined)
    }

    /// Stores and evicted entries, of all namespaces, that did not fit their share.
    package var declinedCount: UInt64 { shares.accounts.reduce(0) { $0 + $1.declined } }

    /// Whether the namespace may have no records on disk.
    package func isShut(_ account: DiskAccount) -> Bool {
        shares.accounts[account.index].bytesMax == 0
    }

    /// Whether an entry would exceed the share of its namespace; if so, it is counted.
    ///
    /// - Parameter isStore: it is a store, and pays for cleaning though it is declined.
    /// - Complexity: O(1); O(tags) if the namespace is limited, O(segments) if it is declined.
    package mutating func declines(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint, for account: DiskAccount,
        isStore: Bool
    ) -> Bool {
        guard shares.isBounded(account) else { return false }
        let bytes = shareBytesMax(of: entry)
        guard !shares.hasRoom(for: bytes - reservedBytes(fingerprint, account), account) else {
            return false
        }
        shares.noteDeclined(account)
        // Cleaning cannot free enough for an entry that never fits.
        guard shares.canHold(bytes, account) else { return true }
        if isStore { payForCleaning(bytes) }
        if !shares.isShort, segments.contains(where: { $0.hasDead || $0.hasExpired(at: now) }) {
            shares.noteShort()
        }
        return true
    }

    /// Bytes reserved for a value still waiting under this fingerprint, which the next store
    /// cancels.
    private func reservedBytes(_ fingerprint: Fingerprint, _ account: DiskAccount) -> Int {
        guard !storing.isEmpty else { return 0 }
        let store = storing.first { $0.fingerprint == fingerprint && $0.account == account }
        return store?.reservedBytes ?? 0
    }

    /// Maximum ring bytes of an entry: one record, or parts and their list.
    func shareBytesMax(of entry: borrowing DiskEntry) -> Int {
        let bytes = entry.recordBytes
        guard bytes > recordBytesMax else { return bytes + SegmentFooter.entryBytes }
        let parts = entry.value.count / partBytesMin + 1
        let partHead = RecordHead.shortBytes + 7 + SegmentFooter.entryBytes
        return bytes + PartList.bytes(parts) + 7 + SegmentFooter.entryBytes + parts * partHead
    }

    /// Whether emptying the oldest segment, though others are free, frees space in a full share,
    /// and loses nothing: all in it has expired, or the ring is sparse.
    func isDueForShare(_ oldest: SegmentState) -> Bool {
        guard shares.isShort else { return false }
        return oldest.isOver(at: now) || isSparse
    }
}
