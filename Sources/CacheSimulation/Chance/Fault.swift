/// A fault that lasts, and what has to be undone when it ends.
enum Fault {
    /// A link loses everything, or holds everything up.
    case cut(link: Int)
    case hold(link: Int)
    /// A link becomes slow and loses or doubles now and then.
    case bad(link: Int)
    /// SIGSTOP: nothing runs, sockets fill up, the clock goes on.
    case pauseNode(run: Int)
    case pausePublisher
    /// A node is paused, another run of it starts, and later the old one wakes up.
    case doubleNode(run: Int)
}

/// Which kinds of fault a seed has: few at a time find more than all at once.
struct FaultKinds: OptionSet {
    let rawValue: Int

    /// Ways between a node and the publisher, one or all, lose everything or hold it up.
    static let partitions = FaultKinds(rawValue: 1)
    static let badLinks = FaultKinds(rawValue: 2)
    static let pauses = FaultKinds(rawValue: 4)
    /// kill -9 or goodbye: memory is lost, and the node comes back as another run.
    static let nodeDeaths = FaultKinds(rawValue: 8)
    static let doubles = FaultKinds(rawValue: 16)
    /// The publisher dies, with its log if that is in memory, and comes back.
    static let publisherDeaths = FaultKinds(rawValue: 32)
    /// A node's connections break, and its sockets make them anew.
    static let resets = FaultKinds(rawValue: 64)
    /// While the publisher is down its disk is cut, damaged, emptied or set back; while it is up
    /// there is no room, and the calendar jumps.
    static let diskFaults = FaultKinds(rawValue: 128)
    /// A shard's thread hangs between its last look at the lease and its sending, for some leases.
    static let hangs = FaultKinds(rawValue: 256)
    /// A node hears nothing and is not heard, for as long as the log needs to be trimmed.
    static let naps = FaultKinds(rawValue: 512)

    private static let named: [(kind: FaultKinds, name: String)] = [
        (.partitions, "partitions"), (.badLinks, "bad links"), (.pauses, "pauses"),
        (.nodeDeaths, "node deaths"), (.doubles, "doubles"),
        (.publisherDeaths, "publisher deaths"), (.resets, "resets"), (.diskFaults, "disk faults"),
        (.hangs, "hangs"), (.naps, "naps"),
    ]

    static let each = named.map(\.kind)

    static let eachName = named.map(\.name)

    /// What these are called.
    var names: [String] { Self.named.filter { contains($0.kind) }.map(\.name) }
}
