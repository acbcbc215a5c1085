import CacheModel
import CacheWire

/// How the world of one seed is made: everything is drawn from the seed.
struct Settings {
    let nodeCount: Int
    let shardCount: Int
    let kind: TopologyReport.Kind
    let leaseMilliseconds: Int
    let heartbeatMilliseconds: Int
    /// Few records kept make truncations.
    let logRecordsMax: Int
    /// Few messages make overflows of the live channel.
    let liveHighWaterMark: Int
    let linkDelayMicroseconds: ClosedRange<Int>
    let originMicroseconds: ClosedRange<Int>
    let policy: NamespacePolicy
    let faults: FaultKinds
    let faultEveryMicroseconds: ClosedRange<Int>
    let readEveryMicroseconds: Int
    let writeEveryMicroseconds: Int
    /// How long there are faults.
    let trouble: Span
    /// By when everybody must be well again after that: the longest silence after which a node
    /// tries again, twice over.
    let recovery = Span.milliseconds(25_000)

    /// What the minds check.
    let guards: Guards

    init(_ dice: inout Dice, guards: Guards) {
        self.guards = guards
        nodeCount = dice.number(in: 2...3)
        shardCount = dice.number(in: 1...2)
        kind = dice.chance(perMille: 500) ? .sharded : .replicated
        leaseMilliseconds = dice.pick([300, 600, 1_000])
        heartbeatMilliseconds = dice.pick([50, 100, 200])
        logRecordsMax = dice.pick([4, 16, 10_000])
        liveHighWaterMark = dice.pick([2, 8, 1_000])
        linkDelayMicroseconds = 20...dice.pick([200, 2_000, 20_000])
        originMicroseconds = 100...dice.pick([20_000, 400_000, 3_000_000])
        policy = Self.policy(&dice)
        var faults: FaultKinds = []
        for kind in FaultKinds.each where dice.chance(perMille: 400) { faults.insert(kind) }
        self.faults = faults
        faultEveryMicroseconds = 20_000...dice.pick([150_000, 400_000])
        readEveryMicroseconds = dice.pick([8_000, 16_000])
        writeEveryMicroseconds = dice.pick([20_000, 60_000])
        trouble = .milliseconds(dice.number(in: 800...2_400))
    }

    private static func policy(_ dice: inout Dice) -> NamespacePolicy {
        var policy = NamespacePolicy()
        policy.suspect = dice.chance(perMille: 500) ? .serve : .refuse
        policy.blindSet = dice.pick([.allow, .allow, .holdOff])
        policy.holdOff = .milliseconds(300)
        policy.loadLease = .milliseconds(dice.pick([50, 500]))
        policy.staleWindow = .milliseconds(500)
        if dice.chance(perMille: 200) { policy.timeToLive = .milliseconds(400) }
        return policy
    }

    /// For a report.
    var text: String {
        """
        \(nodeCount) nodes of \(shardCount) shards, \(kind); lease \(leaseMilliseconds) ms, \
        heartbeat \(heartbeatMilliseconds) ms; log of \(logRecordsMax) records, live channel of \
        \(liveHighWaterMark) messages; links \(linkDelayMicroseconds) µs, origin \
        \(originMicroseconds) µs; \(policy.suspect) while suspect, blind stores \
        \(policy.blindSet), loads \(policy.loadLease); faults: \
        \(faults.names.joined(separator: ", ")), every \(faultEveryMicroseconds) µs
        """
    }
}
