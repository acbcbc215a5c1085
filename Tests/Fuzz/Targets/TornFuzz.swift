import ByteCoding
import CacheInvalidation
import CacheLoading
import CacheModel
import CacheWire

/// A file whose last write never finished, with what a client chose in it. It does not know the
/// file's salt, so nothing that it chose can pass for a record.
private struct TornFile {
    var bytes: [UInt8]
    let salt: FileSalt
    /// Where the last write began.
    var settledBytes = 0

    /// - Parameter input: of which another salt is made as soon as it is another.
    init(of input: UnsafeRawBufferPointer) {
        bytes = []
        let hash = StableHash.hash(input, seed: 0x5EED)
        salt = FileSalt(rawValue: hash) ?? .fuzzed
    }

    /// Cuts the last write off somewhere, and puts a hole into it.
    mutating func tear(_ script: inout Script) {
        let length = bytes.count - settledBytes
        guard length > 0 else { return }
        bytes.removeLast(Int(script.word()) % length)
        let start = settledBytes + Int(script.word()) % length
        let end = min(bytes.count, start + Int(script.byte()))
        guard start < end else { return }
        for place in start..<end { bytes[place] = 0 }
    }
}

/// A write queue's journal that was torn: it is never damage, and what was synchronized is there.
///
///     cut 2, hole 2, hole's length 1, writes of the last batch 1, then values (runs), oldest first
enum TornJournalFuzz: FuzzTarget {
    static let name = "torn-journal"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        var tearing = script
        _ = script.take(5)
        let lastCount = 1 + script.below(3)
        var values: [[UInt8]] = []
        while !script.isAtEnd, values.count < 8 { values.append(script.run()) }
        var file = TornFile(of: input)
        var writer = JournalWriter()
        file.bytes = writer.whole([], salt: file.salt)
        writer.synchronized()
        let records = values.enumerated().map { record($0.offset + 1, $0.element) }
        let settled = records.dropLast(lastCount)
        for record in settled {
            file.bytes += writer.appendix([record])
            writer.synchronized()
        }
        file.settledBytes = file.bytes.count
        let last = Array(records.dropFirst(settled.count))
        if !last.isEmpty { file.bytes += writer.appendix(last) }
        file.tear(&tearing)
        do throws(JournalDamage) {
            let journal = try RecoveredJournal(file.bytes)
            let found = journal.entries.compactMap(\.write.value)
            check(found.count >= settled.count, "what was synchronized is there")
            check(found.elementsEqual(values.prefix(found.count)), "as it was written")
        } catch {
            fatalError("a torn journal is called damaged: \(error)")
        }
    }

    private static func record(_ number: Int, _ value: [UInt8]) -> JournalRecord {
        guard let key = CacheKey("k") else { fatalError("k is a key") }
        let write = OriginWrite(
            namespace: .default, key: key, change: .put(value),
            name: OperationID(high: 1, low: UInt64(number)))
        return .write(WriteNumber(UInt64(number)), write, at: 1)
    }
}

/// A segment of the publisher's log that was torn, as for the journal.
///
///     cut 2, hole 2, hole's length 1, records of the last batch 1, then keys (runs), oldest first
enum TornLogFuzz: FuzzTarget {
    static let name = "torn-log"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        var tearing = script
        _ = script.take(5)
        let lastCount = 1 + script.below(3)
        let base = LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: .none), digest: LogDigest(1))
        let records = records(after: base, &script)
        let settled = records.dropLast(lastCount)
        var file = TornFile(of: input)
        let form = FrameForm.salted(file.salt)
        file.bytes = written {
            SegmentHeader(log: LogID(9), base: base, createdAt: 1, form: form).encode(into: &$0)
        }
        var head = base
        for record in settled {
            file.bytes += frame(of: record, after: head, in: form)
            head = record.mark
        }
        file.settledBytes = file.bytes.count
        for record in records.dropFirst(settled.count) {
            file.bytes += frame(of: record, after: head, in: form)
        }
        file.tear(&tearing)
        guard let scan = file.bytes.withUnsafeBytes({ SegmentScan($0) }) else {
            fatalError("its header is whole")
        }
        check(scan.ending != .damaged, "a torn segment is called damaged")
        check(scan.head.position >= head.position, "what was synchronized is there")
    }

    private static func frame(
        of record: SealedRecord, after settled: LogMark, in form: FrameForm
    ) -> [UInt8] {
        written {
            SegmentFrame.encode(record, settled: settled.position.sequence, in: form, into: &$0)
        }
    }

    private static func records(
        after base: LogMark, _ script: inout Script
    ) -> [SealedRecord] {
        var (records, head) = ([SealedRecord](), base)
        while !script.isAtEnd, records.count < 8 {
            guard let key = CacheKey(bytes: [1] + script.run().prefix(4_000)) else { continue }
            do throws(WireRefusal) {
                let sealed = try SealedRecord(
                    sealing: InvalidationRecord(
                        position: head.position.next, previousDigest: head.digest,
                        operation: .none, strength: .hard,
                        scopes: [Scope(.key(key, in: .default))]))
                records.append(sealed)
                head = sealed.mark
            } catch {
                fatalError("a key is a scope: \(error)")
            }
        }
        return records
    }
}
