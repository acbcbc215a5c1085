import ByteCoding
import CacheModel

/// The key of an entry that is resident beside the bounds.
struct Guest {
    var hash: KeyHash
    var namespace: NamespaceNumber
    var key: [UInt8]
}

/// An entry of the disk that memory has no room for and evicts nothing for: it serves one answer,
/// from a slot beside the budget, and leaves.
///
/// It is an entry as any other meanwhile, held by index and policy, so that whatever a request does
/// with the key finds it: reads, touches and versions. There is one at most.
extension MemoryTier {
    /// - Returns: `nil` if there are no addresses left for it.
    mutating func admitGuest(_ candidate: StoreCandidate, now: Instant) -> Entry? {
        guard let entry = written(candidate, isGuest: true, now: now) else { return nil }
        // The same for the same bytes: a value is read in parts, each from another guest.
        if entry.isIdentified { entry.setIdentityNumber(CRC32C.checksum(candidate.value)) }
        guest = Guest(
            hash: candidate.hash, namespace: candidate.namespace, key: [UInt8](candidate.key))
        place(entry, candidate.hash, over: nil)
        return entry
    }

    /// Whether the entry of a key is the guest: memory keeps it no longer than the message.
    package func isGuest(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer
    ) -> Bool {
        guard let guest, guest.hash == hash, guest.namespace == namespace else { return false }
        return guest.key.elementsEqual(key)
    }

    /// Removes the guest, if there is one: called when the request is answered that it came for. It
    /// is no eviction, and stays on disk.
    ///
    /// - Complexity: O(1).
    package mutating func dismissGuest() {
        guard let guest else { return }
        self.guest = nil
        let entry = guest.key.withUnsafeBytes {
            index.find(guest.hash, namespace: guest.namespace, key: $0)
        }
        guard let entry else { return }
        policy.remove(entry)
        index.remove(entry)
        free(entry)
        checkInvariants()
    }
}
