import ArgumentParser
import ByteCoding
import CMeasure
import CacheLoading
import CacheMemory
import CacheModel
import CacheNodeCore
import CacheWire

/// A shard's core from request frames to reply frames.
struct CoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "core", abstract: "From request to reply in the shard's core.")

    /// Where a shard's values come from.
    enum Origin: String, ExpressibleByArgument, CaseIterable {
        /// No namespace has one.
        case none
        /// Another namespace has one than that of the keys.
        case elsewhere
        /// That of the keys has one; the values were stored by clients.
        case here
        /// That of the keys has one; the values were loaded, and have windows past their lifetime.
        case loaded
    }

    /// How keys have owners. Readers say by which topology they chose the node, as the client
    /// library does, except of ``unchecked`` and ``slotOfEach``.
    enum Owners: String, ExpressibleByArgument, CaseIterable {
        /// Not checked, as in a replicated cluster.
        case unchecked
        case members
        case slots
        /// By slots; the slot of each key is looked up.
        case slotOfEach = "slot-of-each"

        var isSaid: Bool { self == .members || self == .slots }
        var isBySlots: Bool { self == .slots || self == .slotOfEach }
    }

    @Option var entries = 1_000_000
    @Option var rounds = 9
    @Option(help: "How many in each round.")
    var gets = 1 << 20
    @Option(help: "How many invalidations of a key are applied.")
    var applies = 1 << 16
    @Option(help: "Which namespace has an origin: none, elsewhere, here, loaded.")
    var origin = Origin.none
    @Option(help: "How keys have owners: unchecked, members, slots, slot-of-each.")
    var owners = Owners.unchecked

    func run() throws {
        var shard = try BenchmarkShard(entries: entries, origin: origin, owners: owners)
        var (single, allocated) = (Sample(), Sample())
        for _ in 0..<rounds {
            let allocations = measure_allocations()
            single.add(shard.nanosecondsPerGet(count: gets))
            allocated.add(Double(measure_allocations() - allocations) / Double(gets))
        }
        Report.print(
            "request to reply, single gets in turns of 64",
            Report.nanoseconds(single.median), asked: "≤ 300 ns")
        Report.print(
            "allocations per get", Report.number(allocated.median, digits: 3), asked: "0")
        Report.print(
            "invalidation of a key, applied in batches of 16",
            Report.nanoseconds(try shard.nanosecondsPerApply(count: applies)))
    }
}

/// A shard's core with numbered entries, asked in turns of 64 frames with one key each.
struct BenchmarkShard: ~Copyable {
    private var core: ShardCore
    private var replies = ReplyBuffer()
    private var effects: [ShardEffect] = []
    private let keys = Keys()
    private let entries: Int
    private let peer: PeerID
    private let requests: [[UInt8]]
    private var draw = Draw(seed: 7)
    private let now = Instant(nanoseconds: 1_000_000_000_000)
    private static let start = LogMark(
        position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1)), digest: LogDigest(1))
    private static let topologyVersion: UInt32 = 1

    init(
        entries: Int, origin: CoreCommand.Origin = .none,
        owners: CoreCommand.Owners = .unchecked, sampleEvery: Int? = nil
    ) throws {
        guard let node = NodeID("n1"),
            let peer = [UInt8](repeating: 0, count: 5).withUnsafeBytes({ PeerID($0) }),
            let elsewhere = Namespace("elsewhere")
        else { throw ValidationError("the names of the benchmark are names") }
        self.entries = entries
        self.peer = peer
        var options = ShardOptions(
            node: node, shardIndex: ShardIndex(0), incarnation: Incarnation(1),
            memoryBytes: 2 << 30, seed: 42)
        options.sampleEvery = sampleEvery
        core = ShardCore(options: options)
        // All keys have one length, so one request is like another but for its key.
        requests = (0..<64).map { _ in Self.getRequest(Keys().make(0), owners) }
        core.forget(continuingFrom: Self.start, now: now, effects: &effects)
        var standing = NodeStanding.unheard
        standing.state = .live
        standing.leaseExpiresAt = now.advanced(by: .seconds(3_600))
        core.setStanding(standing)
        core.setTopology(frame: Self.topology(owners, of: node), now: now)
        core.configure(Self.policies(origin, elsewhere: elsewhere), fallback: NamespacePolicy())
        for number in 0..<entries {
            if origin == .loaded { load(number) } else { store(number) }
        }
    }

    /// The configuration of the publisher, without which a shard stores nothing.
    private static func policies(
        _ origin: CoreCommand.Origin, elsewhere: Namespace
    ) -> [Namespace: NamespacePolicy] {
        guard origin != .none else { return [:] }
        var policy = NamespacePolicy()
        policy.origin = OriginPolicy(url: "http://127.0.0.1/{key}")
        return [origin == .elsewhere ? elsewhere : .default: policy]
    }

    private static func topology(_ owners: CoreCommand.Owners, of node: NodeID) -> [UInt8] {
        var report = TopologyReport(
            version: topologyVersion, kind: .sharded, controlEndpoint: "tcp://127.0.0.1:1",
            liveEndpoint: "tcp://127.0.0.1:2",
            nodes: [.init(id: node, state: .live, endpoints: ["tcp://127.0.0.1:3"])])
        if owners.isBySlots { report.slots = table(of: node) }
        let note = MembersNote(
            isSettled: !owners.isBySlots, isBySlots: owners.isBySlots, asOf: start.position)
        var writer = ByteWriter()
        report.encode(
            requestID: 0, note: owners == .unchecked ? nil : note, into: &writer)
        return writer.array
    }

    /// All slots are this shard's, and it answers for them.
    private static func table(of node: NodeID) -> SlotTable? {
        let member = SlotMember(
            node: node, state: .member, shardCount: 1, weightThousandths: 1_000)
        let (number, first) = (MemberNumber(1), HashSlot(0))
        let run = first.flatMap {
            SlotChange.Run(
                first: $0, count: HashSlot.count, owner: SlotOwner(member: number, shard: 0))
        }
        return run.flatMap {
            SlotTable(
                at: start.position, servedBelow: start.position.sequence,
                rows: [.init(number, member)], runs: [($0, .none)])
        }
    }

    /// Asks for a key, and is the origin.
    private mutating func load(_ number: Int) {
        var frame = requests[0]
        frame.replaceSubrange((frame.count - Keys.bytes)..., with: keys.make(number))
        replies.removeAll()
        frame.withUnsafeBytes { bytes in
            let frames = [RequestFrame(peer: peer, bytes: bytes)]
            _ = frames.withUnsafeBufferPointer {
                core.turn($0, from: 0, now: now, into: &replies, effects: &effects)
            }
        }
        var facts = LoadedFacts()
        facts.lifetime = .seconds(3_600)
        facts.staleIfError = .seconds(60)
        let value = [UInt8](repeating: 7, count: 100)
        let ordered = effects
        effects.removeAll(keepingCapacity: true)
        for case .load(let load) in ordered {
            core.loadEnded(load.number, .value(value, facts), now: now, effects: &effects)
        }
        core.finishWaiting(now: now, into: &replies, effects: &effects)
        effects.removeAll(keepingCapacity: true)
    }

    private static func getRequest(
        _ key: UnsafeRawBufferPointer, _ owners: CoreCommand.Owners
    ) -> [UInt8] {
        var writer = ByteWriter()
        var message = MessageWriter(.get, requestID: 1, into: &writer)
        if owners.isSaid {
            message.field(MessageFields.ID.topology, topologyVersion, into: &writer)
        }
        GetOperation.append(key: key, options: [], to: &writer)
        message.finish(&writer, count: 1)
        return writer.array
    }

    private mutating func store(_ number: Int) {
        var writer = ByteWriter()
        let message = MessageWriter(.set, requestID: 1, into: &writer)
        withUnsafeTemporaryAllocation(byteCount: 100, alignment: 8) { value in
            _ = value.initializeMemory(as: UInt8.self, repeating: 7)
            SetOperation.append(
                key: keys.make(number), value: UnsafeRawBufferPointer(value), .init(),
                to: &writer)
        }
        message.finish(&writer, count: 1)
        writer.array.withUnsafeBytes { bytes in
            let frames = [RequestFrame(peer: peer, bytes: bytes)]
            frames.withUnsafeBufferPointer { turn($0) }
        }
    }

    private mutating func turn(_ frames: UnsafeBufferPointer<RequestFrame>) {
        var next = 0
        while next < frames.count {
            replies.removeAll()
            next = core.turn(frames, from: next, now: now, into: &replies, effects: &effects)
        }
        effects.removeAll(keepingCapacity: true)
        if core.hasSampleNotes { _ = core.takeSampleNotes() }
    }

    /// The records are made outside of the time that is measured.
    mutating func nanosecondsPerApply(count: Int) throws(WireRefusal) -> Double {
        var time = 0.0
        var mark = Self.start
        for _ in 0..<count / 16 {
            var records: [SealedRecord] = []
            for _ in 0..<16 {
                guard let key = CacheKey(bytes: [UInt8](keys.make(draw.below(entries)))) else {
                    continue
                }
                let record = InvalidationRecord(
                    position: mark.position.next, previousDigest: mark.digest, operation: .none,
                    strength: .hard, scopes: [Scope(.key(key, in: .default))])
                records.append(try SealedRecord(sealing: record))
                mark = records[records.count - 1].mark
            }
            time += measured {
                core.apply(records, isAwaited: false, now: now, effects: &effects)
                effects.removeAll(keepingCapacity: true)
            }
        }
        return time / Double(count / 16 * 16)
    }

    /// The frames are made outside of the time that is measured.
    mutating func nanosecondsPerGet(count: Int) -> Double {
        let bytes = requests[0].count
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * bytes, alignment: 8)
        defer { room.deallocate() }
        let frames = (0..<64).map { index in
            RequestFrame(
                peer: peer,
                bytes: UnsafeRawBufferPointer(
                    rebasing: room[index * bytes..<(index + 1) * bytes]))
        }
        for index in 0..<64 {
            requests[index].withUnsafeBytes {
                room[index * bytes..<(index + 1) * bytes].copyBytes(from: $0)
            }
        }
        var time = 0.0
        let hits = core.statistics.reads.hits
        defer {
            let hits = core.statistics.reads.hits - hits
            precondition(hits == count / 64 * 64, "\(hits) hits of \(count) gets")
        }
        frames.withUnsafeBufferPointer { frames in
            for _ in 0..<count / 64 {
                for index in 0..<64 {
                    let key = keys.make(draw.below(entries), place: index)
                    room[(index + 1) * bytes - Keys.bytes..<(index + 1) * bytes]
                        .copyBytes(from: key)
                }
                time += measured { turn(frames) }
            }
        }
        return time / Double(count / 64 * 64)
    }
}
