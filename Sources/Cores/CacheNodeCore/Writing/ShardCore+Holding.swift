package import CacheLoading
import CacheMemory
package import CacheModel
import CacheWire

/// Keys that are answered only by their accepted writes.
extension ShardCore {
    /// Writes of a key are accepted: its entry, and loads under way, are no longer the answer.
    package mutating func hold(_ line: WriteLine) {
        guard let (key, hash) = loadKey(of: line) else { return }
        writes.heldKeys.hold(key)
        loads.leases.void(hash)
    }

    /// The last of them is over, and its invalidation is published at that position.
    package mutating func release(_ line: WriteLine, at position: LogPosition) {
        guard let (key, _) = loadKey(of: line) else { return }
        writes.heldKeys.release(key, at: position)
        writes.heldKeys.noteApplied(log.applied.position)
    }

    private mutating func loadKey(of line: WriteLine) -> (LoadKey, KeyHash)? {
        guard let number = namespaces.number(of: line.namespace) else { return nil }
        let hash = line.key.bytes.withUnsafeBytes {
            entries.memory.hash(namespace: number, key: $0)
        }
        return (LoadKey(namespace: number.rawValue, bytes: line.key.bytes), hash)
    }

    /// Whether only a load may answer.
    @inline(__always)
    func isHeld(_ lookup: Lookup, in namespace: NamespaceNumber) -> Bool {
        !writes.heldKeys.isEmpty && isAmongHeld(lookup.operation.key, in: namespace)
    }

    @inline(never)
    private func isAmongHeld(
        _ key: UnsafeRawBufferPointer, in namespace: NamespaceNumber
    ) -> Bool {
        writes.heldKeys.contains(LoadKey(namespace: namespace.rawValue, bytes: [UInt8](key)))
    }
}
