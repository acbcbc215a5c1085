import AccessControl
import CommandSurface
import Foundation
import Synchronization
import Testing
import TestSupport

@testable import martlet

/// `martlet audit`, and the flags by which a log is written.
@Suite struct AuditCommandTests {
    private static let who = #""who":"web","key":"0a0a0a0a0a0a0a0a","from":"10.0.0.9""#

    private static func line(_ second: Int, _ rest: String) -> String {
        #"{"time":"2026-11-24T11:42:0\#(second).123Z","event":\#(rest)}"# + "\n"
    }

    private static let lines = [
        line(1, #""begin","role":"publisher""#),
        line(
            2,
            #""invalidate",\#(who),"claim":"job 7","position":"1:42","strength":"hard","#
                + #""scope_count":7,"scopes":[{"kind":"tag","name":"news","namespace":"default"},"#
                + #"{"kind":"key","name":"a\u001bb","namespace":"images"},"#
                + #"{"kind":"key","name_hash":"00ff","namespace":"default"},"#
                + #"{"kind":"prefix","namespace":"default"},{"kind":"all"}],"#
                + #""wait":"all","repeated":false"#),
        line(
            3,
            #""receipt",\#(who),"claim":null,"position":"1:42","complete":false,"applied":2,"#
                + #""expired":0,"pending":1,"ms":250"#),
        line(
            4,
            #""denied","who":"n1","key":"1b","from":null,"claim":"node:n1","#
                + #""message":"drain","missing":"admin""#),
        line(
            5,
            #""stranger","who":null,"key":"fe","from":"10.0.0.8","claim":null,"#
                + #""door":"data","reason":"its key is not in the list""#),
        line(6, #""list","entries":5,"new":["x"],"gone":["y"],"changed":[]"#),
        line(
            7,
            #""pace","who":"n1","key":"1b","from":"10.0.0.7","claim":"web","pacing":3,"#
                + #""strength":"soft","scope_count":1,"scopes":[{"kind":"namespace","#
                + #""name":"images"}],"over_ms":600000"#),
        line(8, #""lost","count":12"#),
    ]

    private static func shown(
        _ paths: [String], _ filter: AuditFilter = AuditFilter(),
        style: OutputStyle = .text(isColoured: false)
    ) throws -> (text: String, complaints: [String]) {
        let kept = Kept()
        var reading = try AuditReading(paths, filter, style: style) { kept.add($0) }
        try reading.showAll()
        return (kept.text, reading.finish().complaints)
    }

    private final class Kept: Sendable {
        private let kept = Mutex<[UInt8]>([])

        var text: String { String(decoding: kept.withLock { $0 }, as: UTF8.self) }

        func add(_ bytes: [UInt8]) { kept.withLock { $0 += bytes } }
    }

    private static let cells = [
        ["TIME", "WHO", "FROM", "EVENT", "WHAT", "OUTCOME"],
        ["2026-11-24T11:42:01.123Z", "–", "–", "begin", "publisher", "–"],
        [
            "2026-11-24T11:42:02.123Z", "web (job 7)", "10.0.0.9", "invalidate",
            #"hard tag news, key a\x1bb in images, key #00ff, prefix ?, and 3 more"#, "at 1:42",
        ],
        [
            "2026-11-24T11:42:03.123Z", "web", "10.0.0.9", "receipt", "receipt of 1:42",
            "incomplete in 250 ms, 2 applied, 1 pending",
        ],
        ["2026-11-24T11:42:04.123Z", "n1", "–", "denied", "drain", "missing admin"],
        [
            "2026-11-24T11:42:05.123Z", "key fe…", "10.0.0.8", "stranger", "door data",
            "its key is not in the list",
        ],
        ["2026-11-24T11:42:06.123Z", "–", "–", "list", "list of keys", "5 entries +x -y"],
        [
            "2026-11-24T11:42:07.123Z", "n1 (web)", "10.0.0.7", "pace", "soft namespace images",
            "pacing 3, over 10m",
        ],
        ["2026-11-24T11:42:08.123Z", "–", "–", "lost", "–", "12 lines"],
    ]

    @Test func peopleSeeATableInTheOrderOfTime() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.lines[..<3].joined(), to: "a.1")
        try directory.write(Self.lines[3...].joined(), to: "a")
        let (text, complaints) = try Self.shown([directory.path("a")])
        #expect(complaints == [])
        // Widths grow with what is shown; what is said does not depend on them.
        func words(_ text: String) -> [[String]] {
            text.split(separator: "\n").map { line in
                line.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
                    .filter { !$0.isEmpty }
            }
        }
        #expect(words(text) == Self.cells, "\(text)")
    }

    @Test func scriptsSeeTheLinesAsTheyAre() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.lines.joined(), to: "a")
        #expect(
            try Self.shown([directory.path("a")], style: .json).text == Self.lines.joined())
    }

    @Test func severalLogsAreReadSideBySide() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.lines[0], to: "a.2")
        try directory.write(Self.lines[2], to: "a.1")
        try directory.write(Self.lines[5], to: "a")
        try directory.write(Self.lines[1] + Self.lines[3] + Self.lines[4], to: "b")
        let all = try Self.shown([directory.path("a"), directory.path("b")], style: .json)
        #expect(all.text == Self.lines[...5].joined())
        #expect(
            AuditCommand.logs(["d/a", "d/a.1", "d/b.audit", "d/c.7"]) == [
                "d/a", "d/b.audit", "d/c.7",
            ])
    }

    @Test func filtersNarrowWhatIsShown() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.lines.joined(), to: "a")
        func seen(_ change: (inout AuditFilter) -> Void) throws -> [Int] {
            var filter = AuditFilter()
            change(&filter)
            let text = try Self.shown([directory.path("a")], filter, style: .json).text
            return Self.lines.indices.filter { text.contains(Self.lines[$0]) }
        }
        #expect(try seen { $0.who = "web" } == [1, 2, 6])
        #expect(try seen { $0.events = ["list", "begin"] } == [0, 5])
        #expect(try seen { $0.events = AuditFilter.denials } == [3, 4])
        #expect(try seen { $0.since = "2026-11-24T11:42:07.123Z" } == [6, 7])
    }

    @Test func whatIsDamagedIsCountedAndPassedOver() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.lines[0] + "{\"time\":\"20", to: "a.1")
        try directory.write("garbage\n{}\n" + Self.lines[1] + "{\"time\":", to: "a")
        let (text, complaints) = try Self.shown([directory.path("a")], style: .json)
        #expect(text == Self.lines[0] + Self.lines[1])
        #expect(
            complaints == ["\(directory.path("a")): 4 lines damaged or half written, passed over"])
    }

    @Test func aLineOfMegabytesIsPassedOver() throws {
        let directory = try TemporaryDirectory()
        let long = String(repeating: "x", count: 5 << 20) + "\n"
        try directory.write(Self.lines[0] + long + Self.lines[1], to: "a")
        let (text, complaints) = try Self.shown([directory.path("a")], style: .json)
        #expect(text == Self.lines[0] + Self.lines[1])
        #expect(complaints.count == 1 && complaints[0].contains("1 line damaged"), "\(complaints)")
    }

    @Test func followingTheAuditFileMissesNothingAcrossRotation() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("a")
        try directory.write(Self.lines[0] + "{\"ti", to: "a")
        let kept = Kept()
        var reading = try AuditReading([path], AuditFilter(), style: .json) { kept.add($0) }
        try reading.showMore()
        #expect(kept.text == Self.lines[0])
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data((Self.lines[1].dropFirst(4) + Self.lines[2]).utf8))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".2")
        try directory.write(Self.lines[3], to: "a.1")
        try directory.write(Self.lines[4], to: "a")
        try reading.showMore()
        #expect(kept.text == Self.lines[...4].joined())
        #expect(reading.finish().complaints == [])
    }

    @Test func whatCannotBeReadEndsWith78() throws {
        #expect {
            _ = try Self.shown(["/nowhere/audit"])
        } throws: { error in
            (error as? CommandFailure)?.status == .unusableConfiguration
        }
    }

    @Test func argumentsBecomeAFilter() throws {
        func filter(_ arguments: String) throws -> AuditFilter {
            let command: AuditCommand = try Sample.command("audit f \(arguments)")
            return try command.filter(now: 1_795_520_521_123)
        }
        #expect(try filter("").since == nil)
        #expect(try filter("--since 1h").since == "2026-11-24T10:42:01.123Z")
        #expect(try filter("--since 2026-11-24").since == "2026-11-24T00:00:00.000Z")
        #expect(try filter("--who web").who == "web")
        #expect(try filter("--event list --event begin").events == ["list", "begin"])
        #expect(try filter("--denied").events == ["denied", "left-out", "stranger"])
        for wrong in ["--since never", "--event nothing", "--denied --event list"] {
            #expect(throws: CommandFailure.self, "\(wrong)") { try filter(wrong) }
        }
    }

    @Test func flagsSayWhereAndHowALogIsWritten() throws {
        func settings(
            _ arguments: String, _ environment: [String: String] = [:]
        ) throws -> AuditSettings? {
            let command: NodeCommand = try Sample.command("node --id n1 \(arguments)")
            return try command.role.audit.settings(environment: environment)
        }
        #expect(try settings("") == nil)
        #expect(try settings("", ["MARTLET_AUDIT": "/a"])?.path == "/a")
        let plain = try #require(try settings("--audit /b", ["MARTLET_AUDIT": "/a"]))
        #expect(plain.path == "/b" && plain.fileBytesMax == 64 << 20 && plain.fileCountMax == 8)
        #expect("\(plain.names)" == "clear")
        let small = try #require(
            try settings("--audit /b --audit-size 1MiB --audit-files 2 --audit-names hashed"))
        #expect(small.fileBytesMax == 1 << 20 && small.fileCountMax == 2)
        #expect("\(small.names)".hasPrefix("hashed"))
        for wrong in [
            "--audit-size 1MiB", "--audit-files 3", "--audit-names none",
            "--audit /b --audit-size 1KiB", "--audit /b --audit-files 1",
            "--audit /b --audit-size many",
        ] {
            #expect(throws: CommandFailure.self, "\(wrong)") { try settings(wrong) }
        }
    }
}
