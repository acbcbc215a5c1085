import CacheDisk
import CacheMemory
import CacheModel

/// Names of namespaces by number, and what stands for each of them in fingerprints and shares.
struct DiskNamespaces {
    /// As far as anything was stored in them.
    private var names: [[UInt8]] = []
    private var rooms: [UInt64] = []
    /// As far as rooms are.
    private var accounts: [DiskAccount] = []

    /// Takes over names of namespaces that are new.
    mutating func learn(_ names: [[UInt8]]) {
        if self.names.count < names.count { self.names = names }
    }

    func isNamed(_ number: NamespaceNumber) -> Bool { Int(number.rawValue) < names.count }

    /// - Precondition: its name is known.
    mutating func room(of number: NamespaceNumber, in tier: inout DiskTier) -> UInt64 {
        while rooms.count <= Int(number.rawValue) {
            // The default namespace has no name on disk.
            let name = rooms.isEmpty ? [] : names[rooms.count]
            let room = name.withUnsafeBytes { tier.hasher.room(of: $0) }
            rooms.append(room)
            accounts.append(tier.account(of: room))
        }
        return rooms[Int(number.rawValue)]
    }

    /// - Precondition: its name is known.
    mutating func account(of number: NamespaceNumber, in tier: inout DiskTier) -> DiskAccount {
        _ = room(of: number, in: &tier)
        return accounts[Int(number.rawValue)]
    }

    /// Lends an entry with the name of its namespace, which is known.
    func named<Result>(
        _ entry: DiskEntry, in number: NamespaceNumber, _ body: (DiskEntry) -> Result
    ) -> Result {
        guard number != NamespaceNumber(0) else { return body(entry) }
        var entry = entry
        return names[Int(number.rawValue)].withUnsafeBytes { name in
            entry.namespace = name
            return body(entry)
        }
    }
}
