import ByteCoding
import CacheModel
import Testing

@testable import CacheAccess

@Suite struct AccessListTests {
    private static let usual = [
        "# name   public key   roles   patterns   until",
        "",
        "n1   \(Sample.digits(1))   node",
        "\tweb\t\(Sample.digits(2))\tread,write\tsessions,images/t:\t2027-01-31",
        "  # nobody any more",
        "ops  \(Sample.digits(0xABC).uppercased())  admin  ",
    ]

    @Test(arguments: ["\n", "\r\n", "\r"], [true, false])
    func aLineForEachKeyIsReadWhateverEndsALine(end: String, isLastEnded: Bool) throws {
        let text = Self.usual.joined(separator: end) + (isLastEnded ? end : "")
        let list = try AccessList(parsing: text)
        try #require(list.entries.map(\.name) == ["n1", "web", "ops"])
        #expect(
            list.entries.map(\.key) == [
                try Sample.key(1), try Sample.key(2), try Sample.key(0xABC),
            ])
        #expect(
            list.entries.map(\.rights) == [
                .node, [.read, .write], [.admin, .read, .write, .invalidate, .metrics],
            ])
        #expect(list.entries.map(\.patterns.count) == [1, 2, 1])
        #expect(list.entries[0].patterns == [.everything])
        #expect(list.entries.map(\.endsAt) == [nil, 1_801_440_000, nil])
    }

    @Test(arguments: ["", "\n", "\r\n\r\n", "# only this", " \t ", "#\n#\r\n#"])
    func aListOfCommentsAndBlankLinesIsEmpty(text: String) throws {
        #expect(try AccessList(parsing: text) == .empty)
    }

    @Test func aByteOrderMarkBeforeTheFirstLineSaysNothing() throws {
        let line = "web \(Sample.digits(1)) read"
        #expect(try AccessList(parsing: "\u{FEFF}" + line) == AccessList(parsing: line))
        #expect(try AccessList(parsing: "\u{FEFF}# a comment") == .empty)
        #expect(problem("\(line)\n\u{FEFF}ops \(Sample.digits(2)) read") != nil)
    }

    @Test func aCommentIsNoWordOfALine() throws {
        #expect(problem("web \(Sample.digits(1)) read # why")?.reason == .namespace("#"))
        #expect(problem("#web \(Sample.digits(1)) x\nops \(Sample.digits(1)) read") == nil)
    }

    @Test func eachKeyHasItsEntryAndNoOther() throws {
        let list = try AccessList(parsing: Self.usual.joined(separator: "\n"))
        for entry in list.entries { #expect(list.entry(of: entry.key) == entry) }
        #expect(list.entry(of: try Sample.key(3)) == nil)
        #expect(AccessList.empty.entry(of: try Sample.key(1)) == nil)
    }

    @Test func aNameMayHaveSeveralKeysButAKeyOneLine() throws {
        let names = "web \(Sample.digits(1)) read\nweb \(Sample.digits(2)) write"
        #expect(try AccessList(parsing: names).entries.count == 2)
        let twice =
            "\n#\na \(Sample.digits(0xA)) read\nb \(Sample.digits(2)) read\n"
            + "c \(Sample.digits(0xA).uppercased()) write"
        #expect(problem(twice) == AccessListProblem(line: 5, reason: .keyTwice(line: 3)))
    }

    @Test func tenThousandKeysAreTakenAndNotOneMore() throws {
        var text = ""
        for number in 1...AccessList.entriesMax { text += "n \(Sample.digits(number)) read\n" }
        let list = try AccessList(parsing: text)
        #expect(list.entries.count == 10_000)
        #expect(list.entry(of: try Sample.key(10_000)) == list.entries.last)
        text += "# no key\n\nn \(Sample.digits(10_001)) read\n"
        #expect(problem(text) == AccessListProblem(line: 10_003, reason: .tooManyEntries))
        #expect(text.utf8.count < AccessList.bytesMax, "the longest list fits into its bytes")
    }

    @Test func theNextEndIsTheFirstOfThoseToCome() throws {
        let list = try AccessList(
            parsing: """
                a \(Sample.digits(1)) read * 1970-01-02
                b \(Sample.digits(2)) read * 1970-01-01T00:00:07Z
                c \(Sample.digits(3)) read
                """)
        #expect(list.nextEnd(after: -1) == 7)
        #expect(list.nextEnd(after: 6) == 7)
        #expect(list.nextEnd(after: 7) == 172_800)
        #expect(list.nextEnd(after: 172_800) == nil)
        #expect(AccessList.empty.nextEnd(after: 0) == nil)
    }

    @Test func aWrongLineLeavesNothingOfItsListAndIsNumbered() {
        for (index, wrong) in ["x", "x y", "x \(Sample.digits(7)) eat"].enumerated() {
            let before = String(repeating: "a \(Sample.digits(1)) read\r\n#\r\n", count: 1)
            let text = before + String(repeating: "\r\n", count: index) + wrong
            #expect(problem(text)?.line == 3 + index)
        }
    }

    private static func refusal(
        of text: String, after old: String
    ) throws -> AccessListProblem.Reason? {
        let (list, oldList) = (try AccessList(parsing: text), try AccessList(parsing: old))
        do throws(AccessListProblem) {
            try list.checkReplacing(oldList, text: Array(text.utf8), oldText: Array(old.utf8))
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func aListLosingItsFinalLineBreakIsRefusedAsUnfinished() throws {
        let line = "web \(Sample.digits(1)) read"
        for old in [line + "\n", line + "\r\n", line + "\r"] {
            #expect(try Self.refusal(of: line + ",write", after: old) == .unfinished)
            #expect(try Self.refusal(of: line + ",write\r\n", after: old) == nil)
            #expect(try Self.refusal(of: line + "\nend", after: old) == nil)
            #expect(try Self.refusal(of: "none", after: old) == .unfinished)
        }
        for old in [line, line + "\n# a", ""] {
            #expect(try Self.refusal(of: line + ",write", after: old) == nil)
        }
        #expect(try Self.refusal(of: line, after: line + "\nend") == .unclosed)
        #expect(try Self.refusal(of: "", after: line) == .emptied)
    }
}
