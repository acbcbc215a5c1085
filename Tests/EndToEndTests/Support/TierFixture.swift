import CacheDisk
import Storage
import CacheModel
import Foundation
import TestSupport
import ZeroMQ

/// A disk tier on a real file, filled as a shard fills it.
final class TierFixture {
    private let storage: FileStorage
    private var tier: DiskTier
    private var poller = Poller()

    private static let checkpoint = Checkpoint(
        log: LogID(7),
        mark: LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(9)),
            digest: LogDigest(1)), floors: [])

    init(at path: String, node: NodeID) throws {
        guard
            let geometry = DiskGeometry(
                checkpointBytes: 4_096, tailBytes: 1 << 20, segmentBytes: 64 << 10,
                segmentCount: 8)
        else { throw GaveUp("a file can have these sizes") }
        storage = try FileStorage(path)
        let facts = BootFacts.current
        guard let machine = TierMachineFacts(facts, storage.imprint) else {
            throw GaveUp("the system does not name its boots")
        }
        let owner = TierOwner(
            node: node, shard: 0, of: 1, machine: machine, geometry: geometry)
        try storage.prepare(geometry, anew: true)
        var superblock = Superblock(for: owner, tier: 77, incarnation: 3)
        superblock.clockBase = TierClock(startingAt: facts.now).base
        tier = DiskTier(superblock, tail: storage.tail)
        _ = poller.add(storage.bell)
        tier.beginAnew(Self.checkpoint)
        try run(until: .open)
    }

    func set(_ key: String, _ value: String) throws {
        let cause = Array(key.utf8).withUnsafeBytes { key in
            Array(value.utf8).withUnsafeBytes { value in
                tier.append(DiskEntry(key: key, value: value), fingerprint(key))
            }
        }
        if let cause { throw GaveUp("\(key) was shed: \(cause)") }
        try run(until: .open)
    }

    func remove(_ key: String) throws {
        Array(key.utf8).withUnsafeBytes { tier.remove(fingerprint($0)) }
        try run(until: .open)
    }

    func close() throws {
        tier.now = TierTime(milliseconds: 5)
        tier.close(Self.checkpoint, calendar: BootFacts.current.calendarMilliseconds)
        try run(until: .closed)
        storage.close()
    }

    private func fingerprint(_ key: UnsafeRawBufferPointer) -> Fingerprint {
        tier.hasher.fingerprint(of: key, in: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Has done what was commanded, until the tier is in that state.
    private func run(until state: DiskTier.State) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        var underWay = 0
        while !tier.commands.isEmpty || underWay > 0 || tier.state != state {
            guard ContinuousClock.now < deadline else { throw GaveUp("it is \(tier.state)") }
            if !tier.commands.isEmpty { storage.submit(tier.commands) }
            underWay += tier.commands.count
            tier.commands.removeAll()
            _ = try poller.wait(timeout: .milliseconds(100))
            for completion in storage.takeCompletions() {
                underWay -= 1
                tier.completed(completion)
            }
        }
    }
}
