/// A namespace's share of the ring: docs/decisions/0104-bound-a-namespaces-share-of-the-disk.md
extension DiskTier {
    /// The account of the namespace with this hash of its name.
    ///
    /// - Complexity: O(1).
    package mutating func account(of room: UInt64) -> DiskAccount {
        log.shares.account(of: room)
    }

    /// Limits the ring bytes of a namespace's records; `nil`: no limit.
    ///
    /// Records above it are dropped as the ring wraps. A value above it that still waits to be
    /// appended in parts is not appended.
    package mutating func setShare(_ bytesMax: Int?, of account: DiskAccount) {
        log.shares.setBound(bytesMax ?? .max, of: account)
        while !log.shares.hasRoom(for: 0, account),
            let store = log.stores.first(of: account)
        {
            log.shares.noteDeclined(account)
            log.endStore(store.fingerprint)
        }
    }

    /// The ring bytes of the namespace's records, and the number declined since the tier was
    /// opened.
    package func shareUsage(of account: DiskAccount) -> (bytes: Int, declined: UInt64) {
        (log.shares.taken(account), log.shares.accounts[account.index].declined)
    }

    /// Stores and evicted entries, of all namespaces, that did not fit their share.
    package var declinedCount: UInt64 { log.shares.accounts.reduce(0) { $0 + $1.declined } }

    /// Whether the namespace may have no records on disk.
    package func isShut(_ account: DiskAccount) -> Bool {
        log.shares.accounts[account.index].bytesMax == 0
    }

    /// Whether an entry would exceed the share of its namespace; if so, it is counted.
    ///
    /// - Parameter isStore: it is a store, and pays for cleaning though it is declined.
    /// - Complexity: O(1); O(tags) if the namespace is limited, O(segments) if it is declined.
    package mutating func declines(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint, for account: DiskAccount,
        isStore: Bool
    ) -> Bool {
        guard log.shares.isBounded(account) else { return false }
        let bytes = log.shareBytesMax(of: entry)
        guard !log.shares.hasRoom(for: bytes - reservedBytes(fingerprint, account), account) else {
            return false
        }
        log.shares.noteDeclined(account)
        // Cleaning cannot free enough for an entry that never fits.
        guard log.shares.canHold(bytes, account) else { return true }
        if isStore { log.cleaning.earn(bytes, upTo: geometry.ringBytes) }
        if !log.shares.isShort,
            log.segments.contains(where: { $0.hasDead || $0.hasExpired(at: now) })
        {
            log.shares.noteShort()
        }
        return true
    }

    /// Bytes reserved for a value still waiting under this fingerprint, which the next store
    /// cancels.
    private func reservedBytes(_ fingerprint: Fingerprint, _ account: DiskAccount) -> Int {
        guard let store = log.stores[fingerprint], store.account == account else { return 0 }
        return store.reservedBytes
    }
}
