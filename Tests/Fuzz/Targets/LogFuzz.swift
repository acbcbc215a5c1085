import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

/// A log on disk as a publisher finds it: its stamp and up to four segments, judged as at a start.
///
///     manner 1 (bit 0: the stamp is sealed; 1: it is there; 2: it knows its file), mending 1,
///     stamp 64, then for each segment: name of its own 1 (odd: what its header says), run
enum LogFuzz: FuzzTarget {
    static let name = "log"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let manner = script.byte()
        let mending = SegmentMending(rawValue: script.byte())
        var stamp = [UInt8](script.take(LogStamp.bytes))
        if manner & 1 == 1 {
            stamp.put("MARTLOG1", at: 0)
            stamp.seal(12..<LogStamp.bytes, at: 8)
        }
        readStamp(stamp)
        let files = segments(&script, mending)
        let imprint = LogStamp.Imprint(
            file: stamp.number(at: 48, bytes: 8), birth: stamp.number(at: 56, bytes: 8))
        recover(
            LogRecovery(
                stamp: manner & 2 == 0 ? stamp : nil, imprint: manner & 4 == 0 ? imprint : nil,
                names: files.map(\.name)), files)
    }

    private static func readStamp(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { LogStamp.isOfNewerFormat($0) }
        guard let stamp = bytes.withUnsafeBytes({ LogStamp($0) }) else { return }
        let again = written { stamp.encode(into: &$0) }
        check(again.withUnsafeBytes { LogStamp($0) } == stamp, "a stamp is kept")
    }

    private static func segments(
        _ script: inout Script, _ mending: SegmentMending
    ) -> [(name: SegmentName, bytes: [UInt8])] {
        var files: [(name: SegmentName, bytes: [UInt8])] = []
        while !script.isAtEnd, files.count < 4 {
            let isNamedAnew = !script.isOdd()
            var bytes = script.run()
            mending.mend(&bytes)
            let sequence = bytes.number(at: 24, bytes: 8) % (1 << 48)
            let epoch = UInt32(truncatingIfNeeded: bytes.number(at: 12, bytes: 4))
            let shift: UInt64 = isNamedAnew && sequence > 0 ? 1 : 0
            let base = LogPosition(
                epoch: Epoch(epoch), sequence: SequenceNumber(sequence - shift))
            // Two files have no one name.
            guard !files.contains(where: { $0.name.base == base }) else { continue }
            files.append((SegmentName(base: base), bytes))
        }
        return files
    }

    private static func recover(
        _ begun: LogRecovery, _ files: [(name: SegmentName, bytes: [UInt8])]
    ) {
        var recovery = begun
        var rounds = 0
        while let wanted = recovery.next {
            rounds += 1
            check(rounds <= 2 * files.count + 2, "a recovery asks for each file twice at most")
            switch wanted {
            case .header(let name):
                let bytes = file(name, files)
                bytes.prefix(SegmentHeader.bytes).withUnsafeBytes {
                    recovery.readHeader($0, fileBytes: bytes.count)
                }
            case .everything(let name):
                file(name, files).withUnsafeBytes { recovery.read($0) }
            }
        }
        judge(recovery.verdict, files)
        begin(recovery.verdict)
    }

    /// Where a publisher begins with that.
    private static func begin(_ verdict: LogRecovery.Verdict) {
        for isNewEpochWanted in [false, true] {
            var log = MemoryLog(id: LogID(9), decode: SealedRecord.kept)
            let isNew = log.stand(on: verdict, isNewEpochWanted: isNewEpochWanted)
            check(!isNew || log.head.position.epoch > .none, "a life has an epoch")
            let figures = (log.tail, log.digest(at: log.head.position.sequence))
            check(
                log.read(after: log.head.position.sequence, limit: 1)?.isEmpty ?? true,
                "nothing follows the head: \(figures)")
        }
    }

    private static func judge(
        _ verdict: LogRecovery.Verdict, _ files: [(name: SegmentName, bytes: [UInt8])]
    ) {
        switch verdict {
        case .empty: check(files.isEmpty, "a log of files is not empty")
        case .broken(let breach, _): check(!"\(breach)".isEmpty, "a breach can be said")
        case .whole(let whole):
            check(whole.segments.last?.index != nil, "the last segment is proven")
            check(whole.head == whole.segments.last?.head, "a log ends where its last segment does")
            for segment in whole.segments {
                let bytes = file(segment.header.name, files).count
                check(segment.usedBytes <= bytes, "what is whole lies in its file")
                check(segment.header.base.position <= segment.head.position, "logs go forward")
            }
        }
    }

    private static func file(
        _ name: SegmentName, _ files: [(name: SegmentName, bytes: [UInt8])]
    ) -> [UInt8] {
        files.first { $0.name == name }?.bytes ?? []
    }
}
