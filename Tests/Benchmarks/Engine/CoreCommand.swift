import ArgumentParser
import ByteCoding
import CMeasure
import CacheMemory
import CacheModel
import CacheNodeCore
import CacheWire

/// A shard's mind from request frames to reply frames.
struct CoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "core", abstract: "From request to reply in the shard's core.")

    @Option var entries = 1_000_000
    @Option var rounds = 9

    func run() throws {
        var shard = try BenchmarkShard(entries: entries)
        var (single, allocated) = (Sample(), Sample())
        for _ in 0..<rounds {
            let allocations = measure_allocations()
            let count = 1 << 20
            single.add(shard.nanosecondsPerGet(count: count))
            allocated.add(Double(measure_allocations() - allocations) / Double(count))
        }
        Report.print(
            "request to reply, single gets in turns of 64",
            Report.nanoseconds(single.median), asked: "≤ 300 ns")
        Report.print(
            "allocations per get", Report.number(allocated.median, digits: 3), asked: "0")
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

    init(entries: Int) throws {
        guard let node = NodeID("n1"),
            let peer = [UInt8](repeating: 1, count: 5).withUnsafeBytes({ PeerID($0) })
        else { throw ValidationError("the names of the benchmark are names") }
        self.entries = entries
        self.peer = peer
        core = ShardCore(
            options: ShardOptions(
                node: node, shardIndex: ShardIndex(0), incarnation: Incarnation(1),
                memoryBytes: 2 << 30, seed: 42))
        // All keys have one length, so one request is like another but for its key.
        requests = (0..<64).map { _ in Self.getRequest(Keys().make(0)) }
        core.forget(
            continuingFrom: LogMark(
                position: LogPosition(epoch: Epoch(1), sequence: .none), digest: LogDigest(1)),
            now: now, effects: &effects)
        var standing = NodeStanding.unheard
        standing.state = .live
        standing.leaseExpiresAt = now.advanced(by: .seconds(3_600))
        core.setStanding(standing)
        for number in 0..<entries { store(number) }
    }

    private static func getRequest(_ key: UnsafeRawBufferPointer) -> [UInt8] {
        var writer = ByteWriter()
        let message = MessageWriter(.get, requestID: 1, into: &writer)
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
