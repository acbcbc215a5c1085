import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Foundation
import Storage
import Testing

/// A log that a later release wrote is refused, and stays as it is.
@Suite struct NewerRecordTests {
    /// Appends a record of a strength that is not known here.
    private func appendNewer(_ bench: LogBench, to log: inout FileLog) throws {
        var bytes = try #require(LogBench.records(1, after: log.head).first).bytes
        bytes[40] = 9
        let record = try bytes.withUnsafeBytes {
            var reader = ByteReader($0)
            return try SealedRecord(decoding: &reader)
        }
        guard case .underWay(let ticket) = try log.append([record], expecting: log.head) else {
            throw LogBench.Unexpected()
        }
        while true {
            guard case .ended(let outcome) = try bench.hear() else { continue }
            #expect(outcome.ticket == ticket)
            return log.finish(outcome)
        }
    }

    private func files(_ bench: LogBench) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: bench.directory) {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: bench.path(name)))
        }
        return files
    }

    private func expectRefusal(_ bench: LogBench, naming record: LogPosition?) throws {
        let before = try files(bench)
        do {
            let log = try bench.open()
            log.keeper.close()
            Issue.record("it was opened: \(log.finding)")
        } catch let error as LogFileError {
            guard case .newerForm(_, record) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(error.description.contains("start that release again, or a later one"))
            #expect(record.map { error.description.contains("\($0)") } ?? true)
        }
        #expect(try files(bench) == before)
    }

    @Test(arguments: [true, false])
    func aRecordInTheLastSegmentRefusesTheStart(isClosed: Bool) throws {
        let bench = try LogBench()
        var log = try bench.open()
        let start = LogBench.start(of: log.id, epoch: 1)
        try bench.append(2, to: &log)
        try appendNewer(bench, to: &log)
        let position = log.head.position
        try bench.append(2, to: &log)
        log.keeper.close()
        if !isClosed { try bench.forgetTheEnd(openedAt: start) }
        try expectRefusal(bench, naming: position)
    }

    /// What lies further back is told byte by byte as it was written; what it touched is not known.
    @Test func aRecordInASealedSegmentIsToldAsItIs() throws {
        let bench = try LogBench()
        var log = try bench.open()
        try appendNewer(bench, to: &log)
        for _ in 0..<20 { try bench.append(5, to: &log) }
        let records = try LogBench.everything(in: log)
        log.keeper.close()
        let again = try bench.open()
        #expect(again.finding == .whole && again.head == log.head)
        let found = try LogBench.everything(in: again)
        #expect(found == records && found.first?.record.isOfNewerForm == true)
        again.keeper.close()
    }

    @Test func aSegmentOrAStampOfALaterFormatRefusesTheStart() throws {
        for name in ["segment", "stamp"] {
            let bench = try LogBench()
            var log = try bench.open()
            try bench.append(5, to: &log)
            log.keeper.close()
            let file = name == "stamp" ? name : try #require(bench.segments.last)
            try bench.change(file) { $0[7] = UInt8(ascii: "3") }
            try expectRefusal(bench, naming: nil)
        }
    }

    /// Not every strange byte is a later format.
    @Test func anyOtherMagicIsDamage() throws {
        for byte in [UInt8(ascii: "0"), UInt8(ascii: "x"), 0] {
            let bench = try LogBench()
            var log = try bench.open()
            try bench.append(5, to: &log)
            log.keeper.close()
            try bench.change(try #require(bench.segments.last)) { $0[7] = byte }
            let again = try bench.open()
            guard case .broken = again.finding else {
                Issue.record("\(again.finding)")
                return
            }
            again.keeper.close()
        }
    }
}
