import CacheDisk
import CacheModel
import Testing

/// A tier over a file that is an array, filled by a test and looked through as the shell does it.
final class SampleTier {
    static let machine = TierMachineFacts(
        boot: BootID(high: 1, low: 2), calendar: 1_700_000_000_000, file: 5, birth: 6)

    let geometry: DiskGeometry
    private let tail: UnsafeMutableRawBufferPointer
    private var file: [UInt8]
    private var tier: DiskTier

    private static let checkpoint = Checkpoint(
        log: LogID(0x7F),
        mark: LogMark(
            position: LogPosition(epoch: Epoch(3), sequence: SequenceNumber(40)),
            digest: LogDigest(11)), floors: [1, 2, 3])

    init() throws {
        geometry = try #require(
            DiskGeometry(
                checkpointBytes: 4_096, tailBytes: 4_096 + 8 * 512, segmentBytes: 4_096,
                segmentCount: 6))
        let owner = TierOwner(
            node: try Sample.node("n1"), shard: 2, of: 4, machine: Self.machine,
            geometry: geometry)
        file = Array(repeating: 0, count: geometry.fileBytes)
        tail = .allocate(byteCount: geometry.tailBytes, alignment: 64)
        tail.initializeMemory(as: UInt8.self, repeating: 0)
        tier = DiskTier(
            Superblock(for: owner, tier: 0xABCD, incarnation: 17), tail: tail)
        tier.beginAnew(Self.checkpoint)
        settle()
    }

    deinit { tail.deallocate() }

    func set(_ key: String, expires: UInt64? = nil) {
        let bytes = Array(key.utf8)
        bytes.withUnsafeBytes { key in
            var entry = DiskEntry(key: key, value: key)
            entry.expires = expires.map { TierTime(milliseconds: $0) }
            entry.fill = 39
            _ = tier.append(entry, fingerprint(key))
        }
        settle()
    }

    func remove(_ key: String) {
        Array(key.utf8).withUnsafeBytes { tier.remove(fingerprint($0)) }
        tier.noteApplied(
            LogMark(
                position: LogPosition(epoch: Epoch(3), sequence: SequenceNumber(41)),
                digest: LogDigest(1)))
        settle()
    }

    func close() {
        tier.now = TierTime(milliseconds: 900)
        tier.close(Self.checkpoint, calendar: 1_700_000_060_000)
        settle()
    }

    private func fingerprint(_ key: UnsafeRawBufferPointer) -> Fingerprint {
        tier.hasher.fingerprint(of: key, in: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private func settle() {
        while !tier.commands.isEmpty {
            let command = tier.commands.removeFirst()
            if case .write(_, let bytes, let offset) = command {
                let written =
                    switch bytes {
                    case .owned(let bytes): bytes
                    case .tail(let range): Array(tail[range])
                    }
                file.replaceSubrange(offset..<offset + written.count, with: written)
            }
            tier.completed(DiskCompletion(command.ticket, .done))
        }
    }

    /// The file as it is after a kill now.
    var image: [UInt8] {
        var image = file
        let from = geometry.tailOffset
        image.replaceSubrange(from..<from + tail.count, with: tail)
        return image
    }

    /// Where the first segment's first record lies in the file.
    var firstRecord: Int { geometry.segmentsOffset + 32 }

    /// The same in the tail's first slot.
    var firstRecordInTail: Int { geometry.tailOffset + 4_096 + 32 }

    /// What is found in a file, with a bit flipped in each of these bytes.
    static func facts(
        _ image: [UInt8], flipped: [Int] = [], machine: TierMachineFacts = machine,
        verifies: Bool = true
    ) throws -> (facts: TierFacts, records: [InspectedRecord]) {
        var image = image
        for place in flipped { image[place] ^= 1 }
        var plan = try InspectionPlan(
            head: Array(image.prefix(4_096)), fileBytes: image.count, machine: machine,
            now: Instant(nanoseconds: 5_000_000))
        plan.verifies = verifies
        plan.lists = true
        var inspection = TierInspection(plan, tail: Array(image[plan.tailRange]))
        while true {
            switch inspection.next() {
            case .read(let range): inspection.take(Array(image[range]))
            case .turn: continue
            case .end: return (inspection.facts, inspection.records)
            }
        }
    }
}
