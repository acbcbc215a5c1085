/// A fault with a duration, and what to undo at its end.
enum Fault {
    /// A link loses all messages, or delays all of them.
    case cut(link: Int)
    case hold(link: Int)
    /// A link becomes slow, and sometimes loses or duplicates messages.
    case bad(link: Int)
    /// SIGSTOP: nothing runs, sockets fill up, the clock continues.
    case pauseNode(run: Int)
    case pausePublisher
    /// A node is paused, another run of it starts, and later the old one resumes.
    case doubleNode(run: Int)
}

/// The kinds of faults of a seed: a few at a time find more than all at once.
struct FaultKinds: OptionSet {
    let rawValue: Int

    /// One or all links between a node and the publisher lose or delay all messages.
    static let partitions = FaultKinds(rawValue: 1)
    static let badLinks = FaultKinds(rawValue: 2)
    static let pauses = FaultKinds(rawValue: 4)
    /// kill -9 or an orderly end: memory is lost, and the node returns as another run.
    static let nodeDeaths = FaultKinds(rawValue: 8)
    static let doubles = FaultKinds(rawValue: 16)
    /// The publisher dies, with its log if that is in memory, and restarts.
    static let publisherDeaths = FaultKinds(rawValue: 32)
    /// A node's connections break, and its sockets reconnect.
    static let resets = FaultKinds(rawValue: 64)
    /// While the publisher is down, its disk is truncated, damaged, emptied or restored from a
    /// copy. While it is up, the disk is full and the wall clock jumps.
    static let diskFaults = FaultKinds(rawValue: 128)
    /// A shard's thread stalls for several leases between its last check of the lease and sending.
    static let hangs = FaultKinds(rawValue: 256)
    /// A node is cut off in both directions until the log is trimmed.
    static let naps = FaultKinds(rawValue: 512)

    private static let named: [(kind: FaultKinds, name: String)] = [
        (.partitions, "partitions"), (.badLinks, "bad links"), (.pauses, "pauses"),
        (.nodeDeaths, "node deaths"), (.doubles, "doubles"),
        (.publisherDeaths, "publisher deaths"), (.resets, "resets"), (.diskFaults, "disk faults"),
        (.hangs, "hangs"), (.naps, "naps"),
    ]

    static let each = named.map(\.kind)

    static let eachName = named.map(\.name)

    /// The names of these kinds.
    var names: [String] { Self.named.filter { contains($0.kind) }.map(\.name) }
}

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
