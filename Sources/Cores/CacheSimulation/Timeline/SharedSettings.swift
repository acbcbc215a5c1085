import CacheModel

/// The settings of a world in which several publishers lead one log in turn.
struct SharedSettings {
    let publisherCount: Int
    let faults: SharedFaults
    let faultEveryMicroseconds: ClosedRange<Int>
    /// The way of a request to the store, and of an answer back.
    private(set) var storeMicroseconds: ClosedRange<Int>
    /// How long a publisher waits for an answer of the store.
    let patience: Span
    /// Of records that the log keeps: few bytes cause removals, which a slow standby misses.
    let bytesMax: Int
    let trouble: Span
    let readEveryMicroseconds: Int
    let writeEveryMicroseconds: Int

    init(_ dice: inout Dice, atMost publisherCountMax: Int) {
        publisherCount = dice.number(in: 2...max(2, publisherCountMax))
        var faults: SharedFaults = []
        if dice.chance(perMille: 400) {
            // What ends a term, and what makes that matter.
            faults = [
                dice.pick([.deaths, .pauses, .storeCuts, .leaderChanges]),
                dice.pick(SharedFaults.each),
            ]
        } else {
            for kind in SharedFaults.each where dice.chance(perMille: 350) { faults.insert(kind) }
        }
        self.faults = faults
        faultEveryMicroseconds = 100_000...dice.pick([600_000, 2_000_000])
        storeMicroseconds = 100...dice.pick([2_000, 20_000, 100_000])
        patience = .milliseconds(dice.pick([300, 1_000]))
        // Records are kept for a time whatever their size: only long seeds remove any.
        let isLong = dice.chance(perMille: 30)
        bytesMax = isLong ? 2_000 : dice.pick([2_000, 1 << 20])
        trouble = .milliseconds(isLong ? 45_000 : dice.number(in: 5_000...12_000))
        readEveryMicroseconds = dice.pick(isLong ? [60_000] : [16_000, 30_000])
        writeEveryMicroseconds = dice.pick(isLong ? [250_000] : [40_000, 120_000])
    }

    /// A lease is granted after a read of the store, and counts from before it.
    mutating func fit(leaseMilliseconds: Int) {
        guard leaseMilliseconds < 1_000 else { return }
        storeMicroseconds = 100...min(storeMicroseconds.upperBound, 10_000)
    }

    /// For a report.
    var text: String {
        """
        \(publisherCount) publishers; requests to the store \(storeMicroseconds) µs, answers \
        awaited for \(patience.duration), \(bytesMax) bytes kept; their faults: \
        \(faults.names.joined(separator: ", ")), every \(faultEveryMicroseconds) µs
        """
    }
}

/// Faults of several publishers and of their store: a few kinds at a time find more than all at
/// once.
struct SharedFaults: OptionSet {
    let rawValue: Int

    /// kill -9, sometimes with the loss of the publisher's disk.
    static let deaths = SharedFaults(rawValue: 1)
    /// SIGTERM, and an operator's order to step down.
    static let farewells = SharedFaults(rawValue: 2)
    /// SIGSTOP, for up to many terms.
    static let pauses = SharedFaults(rawValue: 4)
    /// One publisher cannot reach the store, or gets no answers.
    static let storeCuts = SharedFaults(rawValue: 8)
    /// Nodes or writers cannot reach one publisher, or get no answers.
    static let nodeCuts = SharedFaults(rawValue: 16)
    /// The store has no leader for a while. What was asked meanwhile is executed later, or never.
    static let outages = SharedFaults(rawValue: 32)
    /// Requests take long, and some are executed after their publisher has given up.
    static let lateness = SharedFaults(rawValue: 64)
    /// A leader of the store hangs: it confirms leases that end elsewhere.
    static let hangs = SharedFaults(rawValue: 128)
    /// The store changes its leader: all leases begin anew. Or it ends one early.
    static let leaderChanges = SharedFaults(rawValue: 256)
    /// The store is restored from an earlier state.
    static let restores = SharedFaults(rawValue: 512)
    /// The store has no space: changes are made, and an error is answered.
    static let fullStores = SharedFaults(rawValue: 1_024)

    private static let named: [(kind: SharedFaults, name: String)] = [
        (.deaths, "deaths"), (.farewells, "farewells"), (.pauses, "pauses"),
        (.storeCuts, "store cuts"), (.nodeCuts, "node cuts"), (.outages, "outages"),
        (.lateness, "lateness"), (.hangs, "hangs"), (.leaderChanges, "leader changes"),
        (.restores, "restores"), (.fullStores, "full stores"),
    ]

    static let each = named.map(\.kind)

    var names: [String] { Self.named.filter { contains($0.kind) }.map(\.name) }
}
