/// Ring usage per namespace, and its limits.
///
///     appended ─▶ account ── segment sealed ─▶ tally of the segment ── segment freed ─▶ nothing
///     recovered ─▶ tally of the segment, by tag ─────────────────────────┘
///
/// A record counts with its footer entry, from its append until its segment is free, whether
/// visible or not. A re-appended record counts once. Why:
/// docs/decisions/0104-bound-a-namespaces-share-of-the-disk.md
struct RingShares {
    struct Account {
        let tag: NamespaceTag
        /// Of records that were appended in this process, or name their namespace.
        var bytes = 0
        /// Those of them in the active segment.
        var activeBytes = 0
        /// The most that pending values in parts will use.
        var reservedBytes = 0
        /// `Int.max`: no limit.
        var bytesMax = Int.max
        /// Stores and evicted entries that did not fit, since the tier was opened.
        var declined: UInt64 = 0
    }

    /// The owner of a tally of a sealed segment.
    private enum Owner: Hashable {
        case account(Int)
        /// From an earlier process.
        case tag(NamespaceTag)
    }

    private(set) var accounts: [Account] = []
    /// By the hash of the namespace's name.
    private var numbers: [UInt64: DiskAccount] = [:]
    /// Bytes by place in the ring.
    private var tallies: [[Owner: Int]]
    /// Bytes known by tag only, of all segments.
    private var tagged: [NamespaceTag: Int] = [:]
    /// Whether a record was declined since a segment was last emptied, while emptying more would
    /// help.
    private(set) var isShort = false

    init(segmentCount: Int) { tallies = Array(repeating: [:], count: segmentCount) }

    /// Allocated memory.
    ///
    /// - Complexity: O(segments).
    var memoryBytes: Int {
        accounts.count * (MemoryLayout<Account>.stride + 16)
            + tallies.reduce(0) { $0 + 8 + $1.capacity * 4 / 3 * 24 }
            + tagged.count * 16
    }

    // MARK: Accounts

    /// The account of the namespace with this hash of its name. A new one starts at zero.
    mutating func account(of room: UInt64) -> DiskAccount {
        if let account = numbers[room] { return account }
        let account = DiskAccount(index: accounts.count)
        accounts.append(Account(tag: NamespaceTag(room: room)))
        numbers[room] = account
        return account
    }

    func tag(of account: DiskAccount) -> NamespaceTag { accounts[account.index].tag }

    func isBounded(_ account: DiskAccount) -> Bool {
        accounts[account.index].bytesMax != .max
    }

    /// Bytes used by the namespace's records.
    func taken(_ account: DiskAccount) -> Int {
        let account = accounts[account.index]
        return account.bytes + (tagged.isEmpty ? 0 : tagged[account.tag] ?? 0)
    }

    /// Whether a record, or all parts of a value, of so many bytes would stay within the limit.
    func hasRoom(for bytes: Int, _ account: DiskAccount) -> Bool {
        let bytesMax = accounts[account.index].bytesMax
        guard bytesMax != .max else { return true }
        return taken(account) + accounts[account.index].reservedBytes + bytes <= bytesMax
    }

    mutating func setBound(_ bytesMax: Int, of account: DiskAccount) {
        accounts[account.index].bytesMax = bytesMax
    }

    mutating func noteDeclined(_ account: DiskAccount) { accounts[account.index].declined += 1 }

    /// Whether a declined record of so many bytes would fit if the namespace used less.
    func canHold(_ bytes: Int, _ account: DiskAccount) -> Bool {
        bytes <= accounts[account.index].bytesMax && taken(account) > 0
    }

    /// Notes that emptying segments may free space for declined records.
    mutating func noteShort() { isShort = true }

    // MARK: Appending

    /// Counts a record in the active segment.
    mutating func charge(_ bytes: Int, _ account: DiskAccount) {
        accounts[account.index].bytes += bytes
        accounts[account.index].activeBytes += bytes
    }

    /// - Parameter bytes: negative values release.
    mutating func reserve(_ bytes: Int, _ account: DiskAccount) {
        accounts[account.index].reservedBytes += bytes
    }

    /// Moves the count of the active segment, now sealed, to that place of the ring.
    ///
    /// - Complexity: O(accounts).
    mutating func seal(_ ring: Int) {
        for index in accounts.indices where accounts[index].activeBytes > 0 {
            tallies[ring][.account(index), default: 0] += accounts[index].activeBytes
            accounts[index].activeBytes = 0
        }
    }

    // MARK: Reclaiming

    /// Whether reclaiming may re-append a record of that place of the ring, or a value of `bytes`
    /// of which `leaving` bytes are there.
    func mayMove(_ bytes: Int, leaving: Int, _ account: DiskAccount, from ring: Int) -> Bool {
        guard isBounded(account) else { return true }
        let left = tally(of: account, at: ring)?.bytes ?? 0
        return hasRoom(for: bytes - min(leaving, left), account)
    }

    /// Removes re-appended bytes from the count of that place.
    mutating func noteMoved(_ bytes: Int, _ account: DiskAccount, from ring: Int) {
        guard let (owner, left) = tally(of: account, at: ring) else { return }
        let moved = min(bytes, left)
        tallies[ring][owner] = left - moved
        discount(moved, owner)
    }

    /// Clears the count of that place of the ring.
    mutating func free(_ ring: Int) {
        for (owner, bytes) in tallies[ring] { discount(bytes, owner) }
        tallies[ring] = [:]
        isShort = false
    }

    private func tally(of account: DiskAccount, at ring: Int) -> (owner: Owner, bytes: Int)? {
        for owner in [Owner.account(account.index), .tag(accounts[account.index].tag)] {
            if let bytes = tallies[ring][owner] { return (owner, bytes) }
        }
        return nil
    }

    private mutating func discount(_ bytes: Int, _ owner: Owner) {
        switch owner {
        case .account(let index): accounts[index].bytes -= bytes
        case .tag(let tag):
            let left = (tagged[tag] ?? 0) - bytes
            tagged[tag] = left > 0 ? left : nil
        }
    }

    // MARK: Recovery

    /// Counts records of an earlier process at that place of the ring.
    mutating func recover(_ bytes: Int, _ tag: NamespaceTag, at ring: Int) {
        guard tag != .unknown, bytes > 0 else { return }
        tagged[tag, default: 0] += bytes
        tallies[ring][.tag(tag), default: 0] += bytes
    }

    /// Clears the count of the active segment, which is damaged.
    mutating func forgetActive() {
        for index in accounts.indices {
            accounts[index].bytes -= accounts[index].activeBytes
            accounts[index].activeBytes = 0
        }
    }
}

/// The number of a namespace's account in a tier: 0, 1, 2 … in opening order. It is valid for one
/// tier in one process.
package struct DiskAccount: Hashable, Sendable {
    let index: Int
}

/// A short hash of a namespace's name, in otherwise unused bits of footer entries and parts: bits
/// 49 to 63 of a word. docs/disk-format.md specifies it.
///
/// It tells after a restart how much of the ring a namespace uses. Two namespaces collide with a
/// chance of 1 in 32 768.
struct NamespaceTag: Hashable {
    private static let shift: UInt64 = 49
    /// Its bits of a word.
    static let mask: UInt64 = .max << shift

    /// For a record without a namespace, and every record of format 3.
    static let unknown = NamespaceTag(rawValue: 0)

    /// Below 2^15.
    let rawValue: UInt16

    private init(rawValue: UInt16) { self.rawValue = rawValue }

    /// - Parameter room: the hash of the name, see ``FingerprintHasher/room(of:)``.
    init(room: UInt64) { rawValue = max(1, UInt16(room >> Self.shift)) }

    /// The tag in a word that was read.
    init(in word: UInt64) { rawValue = UInt16(word >> Self.shift) }

    /// Its bits in position for a word.
    var bits: UInt64 { UInt64(rawValue) << Self.shift }
}
