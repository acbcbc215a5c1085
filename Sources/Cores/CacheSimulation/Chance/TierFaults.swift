/// Faults of disk tiers: a few kinds at a time find more than all at once.
struct TierFaults: OptionSet {
    let rawValue: Int

    /// Reads and writes take up to seconds.
    static let slow = TierFaults(rawValue: 1)
    /// Writes, reads or both fail for a while.
    static let failing = TierFaults(rawValue: 2)
    /// A bit flips, while the node is down or up.
    static let flips = TierFaults(rawValue: 4)
    /// The machine loses its power, instead of only a process.
    static let powerLosses = TierFaults(rawValue: 8)
    /// While the node is down, its file is removed, truncated or replaced by an older copy.
    static let replaced = TierFaults(rawValue: 16)
    /// A file cannot be opened for a while: the node runs without it.
    static let locked = TierFaults(rawValue: 32)

    private static let named: [(kind: TierFaults, name: String)] = [
        (.slow, "slow"), (.failing, "failing"), (.flips, "flips"), (.powerLosses, "power losses"),
        (.replaced, "replaced"), (.locked, "locked"),
    ]

    static let each = named.map(\.kind)

    var names: [String] { Self.named.filter { contains($0.kind) }.map(\.name) }
}
