import ByteCoding
import CacheModel

/// The key of the guest, an entry resident beside the limits.
struct Guest {
    var hash: KeyHash
    var namespace: NamespaceNumber
    var key: [UInt8]
}

/// A promoted entry that has no space in memory and evicts nothing: it serves one answer, from a
/// slot beside the budget, and is then removed.
///
/// Meanwhile it is an entry as any other, in index and policy, so that all operations of a request
/// find it: reads, touches and versions. There is at most one.
extension EntryPool {
    /// - Returns: `nil` if no addresses are left for it.
    mutating func admitGuest(_ candidate: StoreCandidate, now: Instant) -> Entry? {
        guard let entry = written(candidate, isGuest: true, now: now) else { return nil }
        // Equal for equal bytes: a value is read in parts, each from another guest.
        if entry.isIdentified { entry.setIdentityNumber(CRC32C.checksum(candidate.value)) }
        guest = Guest(
            hash: candidate.hash, namespace: candidate.namespace, key: [UInt8](candidate.key))
        place(entry, candidate.hash, over: nil)
        return entry
    }

    /// Whether the entry of a key is the guest, which memory keeps only for the message.
    package func isGuest(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer
    ) -> Bool {
        guard let guest, guest.hash == hash, guest.namespace == namespace else { return false }
        return guest.key.elementsEqual(key)
    }

    /// Removes the guest, if any: called when its request is answered. It is not an eviction, and
    /// the entry stays on disk.
    ///
    /// - Complexity: O(1).
    package mutating func dismissGuest() {
        guard let guest else { return }
        self.guest = nil
        let entry = guest.key.withUnsafeBytes {
            index.find(guest.hash, namespace: guest.namespace, key: $0)
        }
        guard let entry else { return }
        eviction.policy.remove(entry)
        index.remove(entry)
        free(entry)
        checkInvariants()
    }
}
