import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

/// The file format of running and recently ended pacings, stored beside the log. docs/log-format.md
/// has the bytes.
///
///     magic 8, checksum 4 (of what follows), count 4, next number 8, then each:
///     operation 16, a line of PACING REPORT
extension PacingTable {
    /// "MARTPAC1": the last character is the number of the format.
    private static let magic: UInt64 = 0x3143_4150_5452_414D

    var stored: [UInt8] {
        var writer = ByteWriter()
        writer.append(Self.magic)
        writer.append(UInt32(0))
        writer.append(UInt32(all.count))
        writer.append(upcomingID)
        for pacing in all {
            writer.append(pacing.request.operation.high)
            writer.append(pacing.request.operation.low)
            pacing.line(isDurable: true, now: pacing.nextDue).encode(into: &writer)
        }
        writer.patch(StoredChecksum.of(writer.bytes, from: 12), at: 8)
        return writer.array
    }

    /// Decodes a stored table; `nil` if it is damaged or of another format.
    init?(stored bytes: UnsafeRawBufferPointer, now: Instant) {
        guard bytes.count >= 24, StableHash.word(bytes, 0) == Self.magic,
            StoredChecksum.read(bytes, at: 8) == StoredChecksum.of(bytes, from: 12)
        else { return nil }
        let count = Int(StoredChecksum.read(bytes, at: 12))
        let countMax = PublisherLimits.pacingsMax + PublisherLimits.pacingsRememberedMax
        guard count <= countMax else { return nil }
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[16...]))
        var all: [Pacing] = []
        do throws(WireRefusal) {
            let nextID = try reader.next(UInt64.self)
            for _ in 0..<count { all.append(try Pacing(stored: &reader, now: now)) }
            try reader.expectEnd()
            // The next id is not in use yet.
            let numbers = Set(all.map(\.id.rawValue))
            guard nextID <= PublisherLimits.pacingNumberMax, numbers.count == count,
                numbers.allSatisfy({ (1..<max(nextID, 1)).contains($0) })
            else { return nil }
            self.init(resuming: all, nextID: max(nextID, 1))
        } catch {
            return nil
        }
    }
}

extension Pacing {
    fileprivate init(stored reader: inout ByteReader, now: Instant) throws(WireRefusal) {
        let high = try reader.next(UInt64.self)
        let low = try reader.next(UInt64.self)
        let line = try PacingReport.Line(decoding: &reader)
        var request = PaceRequest(.begin)
        request.operation = OperationID(high: high, low: low)
        request.scopes = line.scopes
        request.strength = line.strength
        request.spanMilliseconds = line.spanMilliseconds
        guard line.sliceCount.nonzeroBitCount == 1,
            line.state != .running || line.doneCount < line.sliceCount
        else {
            throw WireRefusal(.outOfRange, "slices are a power of two, and some are left")
        }
        self.init(line.id, request, slices: line.sliceCount, now: now)
        state = line.state
        doneCount = line.doneCount
        (first, last) = (line.first, line.last)
        isKept = true
    }
}
