import ByteCoding
import CacheModel

@testable import CacheDisk
@testable import TierSamples

/// One piece of a disk tier's file, with its checksum made right: what is taken keeps to its
/// bounds.
///
///     piece 1, bytes
enum DiskFuzz: FuzzTarget {
    static let name = "disk"

    private static let seal = DiskBench.superblock(TierFuzzing.geometry).seal
    private static let geometry = TierFuzzing.geometry

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let piece = script.below(9)
        var bytes = script.restCopied()
        switch piece {
        case 0: readSuperblock(&bytes)
        case 1: readState(&bytes)
        case 2: readSlots(bytes)
        case 3: readHeader(&bytes)
        case 4: readCheckpoint(&bytes)
        case 5: readFooter(&bytes)
        case 6: readRecord(&bytes)
        case 7: readFloors(bytes)
        default: inspect(bytes)
        }
    }

    /// Puts the checksum of `range` right.
    private static func seal(
        _ bytes: inout [UInt8], _ range: Range<Int>, as number: Int, at offset: Int = 8
    ) {
        guard range.upperBound <= bytes.count else { return }
        let sum = bytes[range].withUnsafeBytes { seal.checksum($0, in: .none, at: number) }
        bytes.put(sum, at: offset, bytes: 4)
    }

    private static func readSuperblock(_ bytes: inout [UInt8]) {
        bytes.seal(12..<Superblock.bytes, at: 8)
        guard case .success(let block) = Superblock.decoding(bytes) else { return }
        check(Superblock.decoding(block.encoded) == .success(block), "a first page is kept")
        let total = block.geometry.segmentBytes * block.geometry.segmentCount
        check(total <= DiskLimits.segmentBytesAllMax, "a tier has bounds")
        check(block.shard < block.shardCount, "a shard is one of so many")
        for number in [0, block.incarnation, .max] {
            let clock = TierClock(
                continuing: block, boot: BootID(high: 9, low: number),
                now: Instant(nanoseconds: number), calendar: ~number)
            check(clock.time(at: Instant(nanoseconds: ~number)) <= .max, "a tier's time ends")
        }
    }

    private static func readState(_ bytes: inout [UInt8]) {
        seal(&bytes, 12..<TailState.bytes, as: 1)
        guard bytes.count >= TailState.bytes,
            let state = bytes.withUnsafeBytes({ TailState($0, seal, geometry) })
        else { return }
        check(state.oldest > .none && state.counter < DiskLimits.numberEnd, "a state can be")
        let count = state.newest.next.rawValue - state.oldest.rawValue
        check(count <= UInt64(geometry.segmentCount), "a ring has so many segments")
    }

    /// Each slot's head and first records are the next 256 bytes.
    private static func readSlots(_ bytes: [UInt8]) {
        var tail = [UInt8](repeating: 0, count: geometry.tailBytes)
        let slotBytes = Tail.slotBytes(tail: tail.count)
        for number in 0..<Tail.slotCount {
            let from = DiskLimits.pageBytes + number * slotBytes
            let part = bytes.dropFirst(number * 256).prefix(256)
            guard part.count >= TailSlot.headBytes else { break }
            tail.replaceSubrange(from..<from + part.count, with: part)
            seal(&tail, from + 12..<from + 24, as: 2, at: from + 8)
        }
        let runs = tail.withUnsafeBytes { Tail.runs($0, seal, geometry) }
        check(runs.found.count + runs.damagedCount <= Tail.slotCount, "a slot holds one run")
        for run in runs.found {
            let end = run.start + run.bytes.count
            check(
                run.start >= DiskSegmentHeader.bytes && end <= geometry.segmentBytes
                    && run.end >= end,
                "a run lies in its segment")
        }
    }

    private static func readHeader(_ bytes: inout [UInt8]) {
        seal(&bytes, 12..<DiskSegmentHeader.bytes, as: 0)
        guard let found = bytes.withUnsafeBytes({ DiskSegmentHeader($0, seal) }) else { return }
        check(found.number > .none, "segments are numbered from 1")
        let again = found.encoded(seal)
        check(again == Array(bytes.prefix(again.count)), "a header is written as it was read")
    }

    private static func readCheckpoint(_ bytes: inout [UInt8]) {
        let floors = Int(bytes.number(at: 12, bytes: 4))
        let end = floors <= bytes.count ? Checkpoint.headBytes + floors : bytes.count
        if end >= 12 { seal(&bytes, 12..<end, as: 3) }
        guard let found = Checkpoint(bytes, seal) else { return }
        check(found.mark.position.sequence < SequenceNumber.max, "a log can go on")
        check(found.floors.count <= bytes.count, "floors lie in their place")
        let again = Checkpoint(found.encoded(seal), seal)
        check(again?.floors == found.floors && again?.mark == found.mark, "a checkpoint is kept")
        readFloors(found.floors)
    }

    private static func readFloors(_ bytes: [UInt8]) {
        let bytesMax = 4_096 - Checkpoint.headBytes
        guard let read = LastingFloors(decoding: bytes, seed: 0xABCD, bytesMax: bytesMax) else {
            return
        }
        check(read.highest <= SequenceNumber.max.rawValue, "floors are numbers of records")
        check(read.encoded() == bytes, "floors are written as they were read")
    }

    private static func inspect(_ bytes: [UInt8]) {
        do throws(InspectionFailure) {
            _ = try InspectionPlan(
                head: Array(bytes.prefix(DiskLimits.pageBytes)), fileBytes: bytes.count,
                machine: DiskBench.machine, now: Instant(nanoseconds: 5_000_000))
        } catch {
            check(!error.description.isEmpty, "a failure can be said")
        }
    }
}
