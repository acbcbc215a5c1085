import CacheDisk
import CacheMemory
import CacheModel

/// What of the disk a namespace may take:
/// docs/decisions/0104-bound-a-namespaces-share-of-the-disk.md
extension ShardDisk {
    /// Bounds what namespaces take of the ring; those not named have no bound.
    ///
    /// - Precondition: their names are known.
    func setShares(_ shares: [NamespaceNumber: Percent]) {
        for number in self.shares.keys where shares[number] == nil {
            let account = account(of: number)
            tier.setShare(nil, of: account)
        }
        for (number, share) in shares {
            let (account, bytesMax) = (account(of: number), bytesMax(share))
            tier.setShare(bytesMax, of: account)
        }
        self.shares = shares
        sharedRingBytes = tier.usedRingBytes
    }

    /// Sets the bounds again if segments were withdrawn or have come back.
    func followRing() {
        guard !shares.isEmpty, sharedRingBytes != tier.usedRingBytes else { return }
        setShares(shares)
    }

    func bytesMax(_ share: Percent) -> Int { share.of(tier.usedRingBytes) }

    /// Whether an entry would exceed the share of its namespace; counts it if so.
    ///
    /// - Parameters:
    ///   - entry: may lack the name of its namespace.
    ///   - isStore: it is stored now, and not evicted.
    func declines(
        _ entry: DiskEntry, _ fingerprint: Fingerprint, in number: NamespaceNumber, isStore: Bool
    ) -> Bool {
        guard shares[number] != nil else { return false }
        let account = account(of: number)
        return namespaces.named(entry, in: number) { entry in
            tier.declines(entry, fingerprint, for: account, isStore: isStore)
        }
    }

    /// Whether nothing of a namespace is to lie here.
    func isShut(_ number: NamespaceNumber) -> Bool {
        !shares.isEmpty && shares[number] == Percent.none
    }
}
