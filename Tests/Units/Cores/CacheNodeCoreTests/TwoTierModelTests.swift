import CacheDisk
import CacheModel
import CacheNodeCore
import CacheSimulation
import CacheWire
import Testing
import TestSupport

/// A shard with both tiers against the simplest model there is: what is served must be what was
/// acknowledged last, and not invalidated since. Nothing has to be served.
@Suite struct TwoTierModelTests {
    @Test(arguments: 1...40)
    func nothingThatWasReplacedRemovedOrInvalidatedComesBack(seed: Int) {
        var run = TwoTierRun(seed: UInt64(seed))
        run.begin()
        for _ in 0..<1_000 { run.step() }
        #expect(run.wrong == [], "seed \(seed)")
        #expect(run.hits > 50, "seed \(seed) served \(run.hits)")
        #expect(run.demotedCount > 0, "seed \(seed) kept nothing of what was evicted")
        #expect(run.dividedCount > 0 || !run.hasLong, "seed \(seed) stored nothing in parts")
    }
}

/// One run of random operations.
private struct TwoTierRun {
    private struct Latest: Equatable {
        var value: String
        var tag: String
    }

    private static let keyCount = 60
    private static let tagCount = 8

    private var draw: SeededGenerator
    private var node: DiskHarness
    private var latest: [String: Latest] = [:]
    private var storeCount = 0
    private var incarnation: UInt64 = 77
    private(set) var wrong: [String] = []
    private(set) var hits = 0
    private var demotedBefore: UInt64 = 0
    private var dividedBefore: UInt64 = 0
    /// Whether some values are longer than a record of the disk's.
    let hasLong: Bool

    init(seed: UInt64) {
        hasLong = seed.isMultiple(of: 2)
        draw = SeededGenerator(seed: seed)
        node = DiskHarness(geometry: DiskHarness.smallGeometry)
    }

    var dividedCount: UInt64 { dividedBefore + node.figure("disk_divided") }

    var demotedCount: UInt64 { demotedBefore + node.figure("disk_demoted") }

    mutating func begin() {
        node.invalidate(.key("other"))
        node.checkpoint()
        node.goRound()
    }

    mutating func step() {
        node.shard.advance(by: .milliseconds(2))
        switch draw.below(100) {
        case 0..<45: get(key())
        case 45..<66: set(key())
        case 66..<70: remove(key())
        case 70..<72: invalidateTag()
        case 72..<80: getWhileItChanges(key())
        case 80..<84: touch(key())
        case 84..<92: press()
        case 92..<98: node.settle()
        case 98: node.take()
        default: if draw.below(3) == 0 { kill() }
        }
    }

    /// A few keys are asked for most.
    private mutating func key() -> String {
        "k\(min(draw.below(Self.keyCount), draw.below(Self.keyCount)))"
    }

    private mutating func get(_ key: String) {
        guard let found = node.get(key) else { return wrong.append("\(key) was not answered") }
        check(key, found)
    }

    private mutating func check(_ key: String, _ found: ShardHarness.Outcome) {
        guard found.status == .hit else { return }
        hits += 1
        if found.text != latest[key]?.value {
            let wanted = latest[key]?.value ?? "nothing"
            wrong.append("\(key): \(found.text.prefix(12)), not \(wanted.prefix(12))")
        }
    }

    private mutating func set(_ key: String) {
        storeCount += 1
        let isLong = hasLong && draw.below(9) == 0
        let length = isLong ? 9_000 + draw.below(12_000) : draw.below(600)
        let value = "\(storeCount) " + String(repeating: "v", count: length)
        let tag = "t\(draw.below(Self.tagCount))"
        guard node.set(key, value, .init(tags: [.named(tag)])) == .stored else {
            return wrong.append("\(key) was not stored")
        }
        latest[key] = Latest(value: value, tag: tag)
    }

    private mutating func remove(_ key: String) {
        node.invalidate(.key(key))
        latest[key] = nil
    }

    private mutating func invalidateTag() {
        let tag = "t\(draw.below(Self.tagCount))"
        node.invalidate(.tag(tag))
        latest = latest.filter { $0.value.tag != tag }
    }

    /// The answer waits for the disk while something happens to the key.
    private mutating func getWhileItChanges(_ key: String) {
        guard node.send(node.getFrame([key])).isEmpty else { return }
        switch draw.below(4) {
        case 0: set(key)
        case 1: remove(key)
        case 2: invalidateTag()
        default: press()
        }
        node.settle()
        guard let found = DiskHarness.first(node.finishWaiting()) else {
            return wrong.append("\(key) was not answered")
        }
        check(key, found)
    }

    private mutating func touch(_ key: String) {
        _ = node.ask(node.shard.touchFrame(key, ttl: 3_600_000))
    }

    /// Memory is short: some of what it holds goes, or all.
    private mutating func press() {
        guard draw.below(3) > 0 else { return node.evictAll() }
        node.shard.core.setMemoryBudget(max(1, node.shard.core.memoryInUse / 2))
        node.shard.core.shrink(now: node.shard.now)
        node.shard.core.setMemoryBudget(.max)
        node.take()
    }

    private mutating func kill() {
        for _ in 0..<draw.below(4) { _ = node.step() }
        demotedBefore += node.figure("disk_demoted")
        dividedBefore += node.figure("disk_divided")
        node.take()
        let last = incarnation
        incarnation += 1
        node = DiskHarness(afterKillOf: node, incarnation: incarnation)
        if node.notices.contains(where: { if case .unusable = $0 { true } else { false } }) {
            node.file = SimulatedTierFile(node.geometry)
            node.attach(writtenBy: nil)
            node.settle()
        }
        node.join(lastLife: last)
    }
}

extension SeededGenerator {
    fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
