import ByteCoding
import CacheModel

@testable import CacheLoading

/// The journal of a write queue, with the checksums made right.
///
///     manner 1 (bit 0: header sealed; 1: records sealed; 2: and numbered; 3: format 1), file
enum JournalFuzz: FuzzTarget {
    static let name = "journal"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let manner = script.byte()
        var file = script.restCopied()
        let salt = manner & 8 == 8 ? nil : FileSalt.fuzzed
        if manner & 1 == 1 { sealHeader(&file, salt) }
        if manner & 2 == 2 { sealRecords(&file, salt, isNumbered: manner & 4 == 4) }
        do throws(JournalDamage) {
            let journal = try RecoveredJournal(file)
            check((0...file.count).contains(journal.cutBytes), "what is cut lies in the file")
            check(journal.entries.allSatisfy { $0.number <= journal.last }, "the last is the last")
            writeAgain(journal)
            goOn(with: journal)
        } catch {
            check(!error.description.isEmpty, "damage can be said")
        }
    }

    private static func sealHeader(_ file: inout [UInt8], _ salt: FileSalt?) {
        let end = JournalFormat.headerBytes(isSalted: salt != nil)
        file.put("MARTLETQ", at: 0)
        file.put(
            salt == nil ? JournalFormat.unsaltedVersion : JournalFormat.version, at: 8, bytes: 4)
        if let salt { file.put(salt.rawValue, at: 24, bytes: 8) }
        file.seal(0..<end - 4, at: end - 4)
    }

    private static func sealRecords(_ file: inout [UInt8], _ salt: FileSalt?, isNumbered: Bool) {
        var number = file.number(at: 16, bytes: 8)
        var offset = JournalFormat.headerBytes(isSalted: salt != nil)
        let bytesMin = JournalFormat.recordHeaderBytes(isSalted: salt != nil)
        while offset + bytesMin <= file.count {
            let bytes = Int(file.number(at: offset + 4, bytes: 4))
            guard bytes >= bytesMin, offset + bytes <= file.count else { return }
            if let salt { file.put(salt.rawValue, at: offset + 8, bytes: 8) }
            if isNumbered { file.put(number, at: offset + bytesMin - 24, bytes: 8) }
            file.seal(offset + 4..<offset + bytes, at: offset)
            number &+= 1
            offset += bytes
        }
    }

    /// What a node's queue does with it next.
    private static func goOn(with journal: RecoveredJournal) {
        let now = Instant(nanoseconds: 1_000_000_000)
        var queue = WriteQueue(hasJournal: true, seed: 1)
        var actions: [WriteQueue.Action] = []
        queue.restore(journal, now: now, into: &actions)
        guard let key = CacheKey("k") else { fatalError("k is a key") }
        let write = OriginWrite(
            namespace: .default, key: key, change: .delete, name: OperationID(high: 1, low: 1))
        let order = WriteOrder(
            ticket: WriteTicket(shard: 0, number: 1), write: write, patience: .seconds(1))
        queue.asked(order, wall: 1, now: now, into: &actions)
        _ = queue.newest(of: WriteLine(namespace: .default, key: key))
        check(queue.bytes >= write.costBytes, "a write that waits counts")
    }

    /// What a queue goes on with is a journal that says the same.
    private static func writeAgain(_ journal: RecoveredJournal) {
        var writer = JournalWriter()
        let again = writer.whole(journal.records, salt: .fuzzed)
        let bytes = journal.records.reduce(JournalFormat.headerBytes) { $0 + $1.bytes }
        check(again.count == bytes, "a record is as long as it says")
        do throws(JournalDamage) {
            let other = try RecoveredJournal(again)
            check(other.entries == journal.entries, "a journal is written otherwise than read")
            check(other.cutBytes == 0, "a whole journal ends with its last record")
        } catch {
            fatalError("a journal cannot be read once it is written: \(error)")
        }
    }
}
