import AccessControl
import CacheAccess
import CacheModel
import Foundation
import Testing
import TestSupport

/// The file that is written, on a real disk.
@Suite(.serialized) struct AuditLogTests {
    private static func settings(
        _ directory: AuditDirectory, fileBytesMax: Int = 64 << 20, fileCountMax: Int = 8
    ) -> AuditSettings {
        var settings = AuditSettings(path: directory.file)
        settings.fileBytesMax = fileBytesMax
        settings.fileCountMax = fileCountMax
        return settings
    }

    /// An event with a number, of a kind that has no rate here.
    private static func denial(_ number: Int) -> AuditEvent {
        AuditEvent(.denied(message: "\(number)", missing: "read"), by: AuditParty(nil))
    }

    private static func numbers(_ lines: [String]) -> [Int] {
        lines.compactMap { line in
            line.firstRange(of: "\"message\":\"").flatMap {
                Int(line[$0.upperBound...].prefix { $0.isNumber })
            }
        }
    }

    private static func mode(of path: String) throws -> Int {
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(facts[.posixPermissions] as? Int)
    }

    @Test func whatIsNotedIsThereInItsOrderAfterAnOrderlyEnd() throws {
        let directory = try AuditDirectory()
        let log = try AuditLog(
            Self.settings(directory), role: "node n1", logger: LinesLogged().logger)
        for number in 1...5_000 { log.note(Self.denial(number)) }
        log.stop()
        let lines = directory.lines()
        #expect(lines.first?.hasSuffix(#""event":"begin","role":"node n1"}"#) == true)
        #expect(lines.last?.hasSuffix(#""event":"end"}"#) == true)
        #expect(Self.numbers(lines) == Array(1...5_000))
        #expect(try Self.mode(of: directory.file) == 0o600)
    }

    @Test func anExistingAuditFileIsAppendedToAndItsModeIsReported() throws {
        let directory = try AuditDirectory()
        try Data("before\n".utf8).write(to: URL(fileURLWithPath: directory.file))
        chmod(directory.file, 0o644)
        let said = LinesLogged()
        try AuditLog(Self.settings(directory), role: "r", logger: said.logger).stop()
        #expect(directory.lines().first == "before")
        #expect(directory.lines().count == 3)
        let warning = "warning others may read the audit file: its mode should be 600"
        #expect(said.lines == ["\(warning) file=\(directory.file)"])
    }

    @Test func auditFilesRotateAtTheSizeLimitAndTheOldestIsDeleted() throws {
        let directory = try AuditDirectory()
        let log = try AuditLog(
            Self.settings(directory, fileBytesMax: 64 << 10, fileCountMax: 3), role: "r",
            logger: LinesLogged().logger)
        var written = 0
        while try directory.names().count < 3 || written < 6_000 {
            for _ in 0..<100 {
                written += 1
                log.note(Self.denial(written))
            }
            try waitUntil("it is written") {
                Self.numbers(directory.lines()).last == written
            }
        }
        log.stop()
        #expect(try directory.names() == ["audit.2", "audit.1", "audit"])
        let all = try directory.names().flatMap { Self.numbers(directory.lines(of: $0)) }
        #expect(all.last == written && all.count < written)
        #expect(all == Array((written - all.count + 1)...written))
        for name in try directory.names() {
            let path = "\(directory.path)/\(name)"
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            #expect(try #require(size) <= 64 << 10)
            #expect(try Self.mode(of: path) == 0o600)
        }
    }

    @Test func anotherFileInItsPlaceIsGoneOnWith() throws {
        let directory = try AuditDirectory()
        let log = try AuditLog(
            Self.settings(directory), role: "r", logger: LinesLogged().logger)
        log.note(Self.denial(1))
        try waitUntil("it is written") { Self.numbers(directory.lines()) == [1] }
        try FileManager.default.moveItem(
            atPath: directory.file, toPath: directory.path + "/audit-old")
        try Data().write(to: URL(fileURLWithPath: directory.file))
        log.note(Self.denial(2))
        try waitUntil("it is written") { Self.numbers(directory.lines()) == [2] }
        try FileManager.default.removeItem(atPath: directory.file)
        log.note(Self.denial(3))
        log.stop()
        #expect(Self.numbers(directory.lines()) == [3])
        #expect(Self.numbers(directory.lines(of: "audit-old")) == [1])
    }

    @Test func aFullDiskLosesLinesAndTheirCountIsReportedLater() throws {
        guard let disk = try AuditDirectory(megabytes: 1) else { return }
        let said = LinesLogged()
        let log = try AuditLog(Self.settings(disk), role: "r", logger: said.logger)
        log.note(Self.denial(1))
        try waitUntil("it is written") { Self.numbers(disk.lines()) == [1] }
        let filler = disk.path + "/filler"
        // What does not fit is no error here: it is to be full.
        try Data().write(to: URL(filePath: filler))
        let file = try #require(FileHandle(forWritingAtPath: filler))
        var isFull = false
        while !isFull {
            do {
                try file.write(contentsOf: Data(repeating: 0x2E, count: 4_096))
            } catch {
                isFull = true
            }
        }
        try file.close()
        // More than the last page of the file has room for.
        for number in 2...101 { log.note(Self.denial(number)) }
        try waitUntil("it is said") { said.lines.contains { $0.contains("are lost") } }
        let kept = Self.numbers(disk.lines())
        #expect(disk.lines().allSatisfy { $0.hasSuffix("}") }, "no half line stays")
        log.note(Self.denial(102))
        try FileManager.default.removeItem(atPath: filler)
        try waitUntil("it is made good") {
            disk.lines().contains { $0.contains(#""event":"lost""#) }
        }
        log.note(Self.denial(103))
        log.stop()
        let lines = disk.lines()
        let lost = lines.compactMap { line in
            line.firstRange(of: #""event":"lost","count":"#).flatMap {
                Int(line[$0.upperBound...].prefix { $0.isNumber })
            }
        }
        // Each was written or counted.
        #expect(Self.numbers(lines).count + lost.reduce(0, +) == 103, "\(lost), \(kept.count)")
        #expect(Self.numbers(lines).last == 103)
        #expect(said.lines.count { $0.hasPrefix("error lines of the audit log are lost") } == 1)
        #expect(said.lines.contains("notice the audit log is written again"))
    }

    @Test func onlyOneProcessWritesAFile() throws {
        let directory = try AuditDirectory()
        let first = try AuditLog(
            Self.settings(directory), role: "r", logger: LinesLogged().logger)
        #expect(throws: AuditFileError.inUse(path: directory.file)) {
            try AuditLog(Self.settings(directory), role: "r", logger: LinesLogged().logger)
        }
        first.stop()
    }

    @Test func whatIsNoFileIsRefused() throws {
        let directory = try AuditDirectory()
        let settings = AuditSettings(path: directory.path)
        #expect(throws: AuditFileError.self) {
            try AuditLog(settings, role: "r", logger: LinesLogged().logger)
        }
        let nowhere = AuditSettings(path: directory.path + "/no/where")
        #expect(throws: AuditFileError.self) {
            try AuditLog(nowhere, role: "r", logger: LinesLogged().logger)
        }
        #expect(throws: AuditFileError.irregular(path: "/dev/null")) {
            try AuditLog(
                AuditSettings(path: "/dev/null"), role: "r", logger: LinesLogged().logger)
        }
    }

    /// Whoever notes never waits, and memory is bounded: what has no room is counted.
    @Test func aFloodIsBoundedAndCounted() throws {
        let directory = try AuditDirectory()
        let log = try AuditLog(
            Self.settings(directory), role: "r", logger: LinesLogged().logger)
        let key = try #require(CacheKey(bytes: [UInt8](repeating: 0x6B, count: 4_096)))
        let scopes = [Scope](repeating: Scope(.key(key, in: .default)), count: 16)
        let order = AuditEvent.Order(scopes, .hard)
        let flood = AuditEvent(
            .invalidated(order, at: .none, wait: "none", isRepeated: false), by: AuditParty(nil))
        for _ in 0..<4_000 { log.note(flood) }
        log.stop()
        let lines = try directory.names().flatMap { directory.lines(of: $0) }
        let written = lines.count { $0.contains(#""event":"invalidate""#) }
        let lost = Self.counts(in: lines, of: "lost").reduce(0, +)
        let leftOut = Self.counts(in: lines, of: "left-out").reduce(0, +)
        // The word of the end may be among the lost.
        let endCount = lines.count { $0.contains(#""event":"end""#) }
        #expect(lost > 0 && written + leftOut + lost + endCount == 4_001, "\(lost) \(leftOut)")
    }

    /// The counts of the events of one kind.
    private static func counts(in lines: [String], of word: String) -> [Int] {
        lines.filter { $0.contains("\"event\":\"\(word)\"") }.compactMap { line in
            line.firstRange(of: "\"count\":").flatMap {
                Int(line[$0.upperBound...].prefix { $0.isNumber })
            }
        }
    }

    @Test func whatAdministratorsDidStaysThoughProgramsFillTheLog() throws {
        let directory = try AuditDirectory()
        let log = try AuditLog(
            Self.settings(directory, fileBytesMax: 64 << 10, fileCountMax: 2), role: "r",
            logger: LinesLogged().logger)
        let node = try #require(NodeID("n1"))
        log.note(AuditEvent(.drain(node), by: AuditParty(nil)))
        let order = AuditEvent.Order([Scope(.namespace(.default))], .hard)
        let flood = AuditEvent(
            .invalidated(order, at: .none, wait: "none", isRepeated: false), by: AuditParty(nil))
        for _ in 0..<10_000 { log.note(flood) }
        for number in 1...1_000 { log.note(Self.denial(number)) }
        log.stop()
        let all = try directory.names().flatMap { directory.lines(of: $0) }
        #expect(!all.contains { $0.contains(#""event":"drain""#) }, "it is pushed out there")
        let kept = directory.lines(of: "audit.admin")
        #expect(kept.count { $0.contains(#""event":"drain""#) } == 1)
        #expect(kept.first?.contains(#""event":"begin""#) == true)
        #expect(kept.last?.contains(#""event":"end""#) == true && kept.count == 3)
        #expect(try Self.mode(of: directory.file + ".admin") == 0o600)
    }

    private static func drains(_ lines: [String]) -> Int {
        lines.count { $0.contains(#""event":"drain""#) }
    }

    /// A file that was made for the process in a directory that it may not write into.
    @Test func aCopyThatCannotBeOpenedKeepsNoProcessFromStarting() throws {
        let directory = try AuditDirectory()
        let copy = directory.file + ".admin"
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false)
        let said = LinesLogged()
        let log = try AuditLog(Self.settings(directory), role: "r", logger: said.logger)
        let node = try #require(NodeID("n1"))
        log.note(AuditEvent(.drain(node), by: AuditParty(nil)))
        log.stop()
        #expect(Self.drains(directory.lines()) == 1)
        let line = try #require(said.lines.first)
        #expect(line.hasPrefix("warning the audit file \(copy) cannot be opened: "), "\(line)")
        #expect(line.contains("; acts of administrators are in \(directory.file) alone"))
        #expect(said.lines.count == 1)
    }

    @Test func anUnwritableCopyIsReportedAndLosesNoLine() throws {
        let directory = try AuditDirectory()
        let copy = directory.file + ".admin"
        let said = LinesLogged()
        let log = try AuditLog(Self.settings(directory), role: "r", logger: said.logger)
        let node = try #require(NodeID("n1"))
        let drain = AuditEvent(.drain(node), by: AuditParty(nil))
        log.note(drain)
        try waitUntil("it is copied") { Self.drains(directory.lines(of: "audit.admin")) == 1 }
        try FileManager.default.removeItem(atPath: copy)
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false)
        log.note(drain)
        let error = "error acts of administrators are not copied"
        try said.wait(for: error)
        log.note(Self.denial(1))
        try waitUntil("it is written") { Self.numbers(directory.lines()) == [1] }
        try FileManager.default.removeItem(atPath: copy)
        log.note(drain)
        log.stop()
        #expect(Self.drains(directory.lines()) == 3)
        #expect(Self.drains(directory.lines(of: "audit.admin")) == 1)
        #expect(said.lines.count { $0.hasPrefix(error) } == 1)
        #expect(said.lines.last == "notice acts of administrators are copied again")
        #expect(said.lines.count == 2, "of the log itself nothing is lost: \(said.lines)")
    }
}
