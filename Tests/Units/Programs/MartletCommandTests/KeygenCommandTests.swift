import AccessControl
import ArgumentParser
import ByteCoding
import CacheAccess
import CommandSurface
import Foundation
import Testing
import TestSupport
import ZeroMQ

@testable import martlet

@Suite struct KeygenCommandTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func command(_ words: String...) throws -> KeygenCommand {
        try #require(try MartletCommand.parseAsRoot(["keygen"] + words) as? KeygenCommand)
    }

    private func refusal(_ words: String...) throws -> CommandFailure? {
        let command = try #require(
            try MartletCommand.parseAsRoot(
                ["keygen"] + words + ["--out", folder.path("x.key")]) as? KeygenCommand)
        let failure = try failure { _ = try command.make() }
        #expect(failure == nil || !folder.has("x.key"), "nothing is written for a wrong command")
        return failure
    }

    private var heading: String { "# name  public key  roles  [patterns  [until]]\n" }

    /// Its name is so long that none can be put beside it, as where a disk is full.
    @Test func anUnwritableListStaysUnchangedAndNoKeyPairIsCreated() throws {
        let list = String(repeating: "l", count: 250)
        try folder.write(heading, to: list)
        let failure = try #require(
            try refusal("web", "--roles", "read", "--list", folder.path(list)))
        #expect(failure.status == .unusableConfiguration)
        #expect(failure.sentence.contains("cannot be written"))
        #expect(try folder.text(of: list) == heading)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == [list])
    }

    @Test func aKeyIsWrittenAndItsPublicHalfPrinted() throws {
        let path = folder.path("web.key")
        let output = try command("web", "--out", path).make()
        let pair = try KeyFile.read(path)
        #expect(output.text == "\(pair.publicKey)\n")
        #expect(
            output.complaints == [
                "\(path) is the key of web, and a secret; above is its public half"
            ])
        #expect(output.status == .done && output.problems.isEmpty)
        let other = folder.path("other.key")
        _ = try command("web", "--out", other).make()
        #expect(try KeyFile.read(other).publicKey != pair.publicKey)
    }

    @Test func jsonSaysTheSameAndNoSecret() throws {
        let path = folder.path("k")
        let bare = try command("web", "--out", path, "--json").make()
        let pair = try KeyFile.read(path)
        #expect(
            bare.text == """
                {"name":"web","file":"\(path)","public_key":"\(pair.publicKey)","line":null,\
                "list":null}\n
                """)
        #expect(bare.complaints.isEmpty)
        let list = folder.path("list")
        let listed = try command(
            "ops", "--out", folder.path("o"), "--roles", "admin", "--list", list, "--json"
        ).make()
        let key = try KeyFile.read(folder.path("o"))
        #expect(listed.text.contains(#""line":"ops  \#(key.publicKey)  admin","list":"\#(list)"}"#))
        let secret = try #require(key.secretText.split(separator: " ").last).prefix(64)
        #expect(!listed.text.contains(secret.prefix(8)))
    }

    @Test func aLineIsAddedToTheListAndWhatIsThereStays() throws {
        let list = folder.path("list")
        _ = try command(
            "n1", "--out", folder.path("n1"), "--roles", "node", "--list", list
        ).make()
        let first = "n1  \(try KeyFile.read(folder.path("n1")).publicKey)  node\n"
        #expect(try folder.text(of: "list") == heading + first)
        // Somebody has taken the last line's end away.
        try folder.write(String((heading + first).dropLast()), to: "list")
        let output = try command(
            "web", "--out", folder.path("w"), "--roles", "read,write", "--until", "2027-01-31",
            "--list", list
        ).make()
        let key = try KeyFile.read(folder.path("w")).publicKey
        let second = "web  \(key)  read,write  *  2027-01-31\n"
        #expect(try folder.text(of: "list") == heading + first + second)
        #expect(output.complaints.first?.hasSuffix(", which \(list) has now") == true)
        _ = try command(
            "part", "--out", folder.path("p"), "--roles", "read", "--patterns", "a,b/c", "--list",
            list
        ).make()
        let entries = try AccessList(parsing: folder.text(of: "list")).entries
        #expect(entries.map(\.name) == ["n1", "web", "part"])
        #expect(entries[1].endsAt == 1_801_440_000 && entries[2].patterns.count == 2)
    }

    @Test func aListLockedByAnotherWriterIsRefused() throws {
        let list = folder.path("list")
        try folder.write(heading, to: "list")
        let line = "web  \(try CurveKeyPair.generate().publicKey)  read"
        var first: AllowListFile? = try AllowListFile(list, adding: line)
        let refused = try failure { _ = try AllowListFile(list, adding: "", patience: .zero) }
        #expect(refused?.status == .unusableConfiguration)
        #expect(refused?.sentence.contains("another process is changing") == true)
        try first?.write()
        first = nil
        let second = "ops  \(try CurveKeyPair.generate().publicKey)  admin"
        try AllowListFile(list, adding: second, patience: .zero).write()
        #expect(try folder.text(of: "list") == heading + line + "\n" + second + "\n")
    }

    @Test func linesThatAreAddedAtOnceAreAllThere() async throws {
        let (list, folder) = (folder.path("list"), folder.url)
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    let path = folder.appendingPathComponent("\(number).key").path
                    let words = [
                        "keygen", "k\(number)", "--roles", "read", "--list", list, "--out", path,
                    ]
                    let command = try MartletCommand.parseAsRoot(words) as? KeygenCommand
                    _ = try command?.make()
                }
            }
            try await group.waitForAll()
        }
        let names = try AccessList(parsing: self.folder.text(of: "list")).entries.map(\.name)
        #expect(names.sorted() == (0..<8).map { "k\($0)" })
    }

    @Test(arguments: ["end", "end\n", "end \n", "\tend\r\n", "end\n# mine\n\n"])
    func aLineIsAddedAboveTheOneThatClosesTheList(closing: String) throws {
        let first = "n1  \(try CurveKeyPair.generate().publicKey)  node"
        let line = "web  \(try CurveKeyPair.generate().publicKey)  read"
        let ended = closing == "end" ? "end\n" : closing
        for lineBreak in ["\n", "\r\n", "\r"] {
            let text = AllowListFile.text(first + lineBreak + closing, adding: line)
            #expect(text == first + lineBreak + line + "\n" + ended)
            #expect(try AccessList(parsing: text).entries.map(\.name) == ["n1", "web"])
        }
        let alone = AllowListFile.text("\u{FEFF}" + closing, adding: line)
        #expect(alone == "\u{FEFF}" + line + "\n" + ended)
    }

    @Test func aLineIsAppendedToAListWithoutAnEndLine() {
        for text in ["a", "a\n", "a\n\n"] {
            #expect(AllowListFile.text(text, adding: "b") == "a\nb\n")
        }
        #expect(AllowListFile.text("", adding: "b") == "b\n")
        #expect(AllowListFile.text("# end\nend of it\n", adding: "b").hasSuffix("it\nb\n"))
    }

    @Test func aFileThatExistsIsKeptAndTheListIsNotTouched() throws {
        try folder.write("mine", to: "web.key")
        try folder.write(heading, to: "list")
        let path = folder.path("web.key")
        let failure = try failure {
            _ = try command(
                "web", "--out", path, "--roles", "read", "--list", folder.path("list")
            ).make()
        }
        #expect(failure?.status == .unusableConfiguration)
        #expect(failure?.sentence.hasPrefix("\(path) exists, and is not overwritten") == true)
        #expect(try folder.text(of: "web.key") == "mine" && folder.text(of: "list") == heading)
    }

    @Test func anInvalidListStaysUnchangedAndNoKeyPairIsCreated() throws {
        let list = folder.path("list")
        try folder.write("# a\nweb abc read\n", to: "list")
        let wrong = try refusal("web", "--roles", "read", "--list", list)
        #expect(wrong?.status == .unusableConfiguration)
        #expect(wrong?.sentence.hasPrefix("\(list), line 2: the second word is no public") == true)
        #expect(try folder.text(of: "list") == "# a\nweb abc read\n")
        try Data([0xFF]).write(to: URL(fileURLWithPath: list))
        let binary = try refusal("web", "--roles", "read", "--list", list)
        #expect(binary?.sentence == "\(list) cannot be read as text")
        let special = try refusal("web", "--roles", "read", "--list", "/dev/null")
        #expect(special?.status == .wrongUsage)
        #expect(special?.sentence.hasPrefix("--list: /dev/null is no ordinary file") == true)
    }

    @Test func wrongUsageSaysWhat() throws {
        let usages: [([String], String)] = [
            (["a b"], "NAME has 1 to 64 of the characters a-z A-Z 0-9 . _ -"),
            ([""], "NAME has 1 to 64 of the characters a-z A-Z 0-9 . _ -"),
            (["web", "--list", "l"], "--roles is missing: what may the holder of the key do?"),
            (["web", "--patterns", "a"], "--roles is missing: what may the holder of the key do?"),
            (["web", "--until", "2027-01-31"], "--roles is missing: what may the holder of the"),
            (["web", "--roles", "eat"], "“eat” is no role; there are read, write"),
            (["web", "--roles", ""], "a name, a public key and roles are wanted"),
            (["web", "--roles", "read", "--patterns", "a/"], "“a/”: after the / the beginning"),
            (["web", "--roles", "read", "--until", "soon"], "“soon” is no date"),
            (["n1", "--roles", "node", "--patterns", "a"], "a node is trusted with all keys"),
            (["web", "--roles", "read\nx y read"], "the second word is no public key"),
        ]
        for (words, beginning) in usages {
            let command = try #require(
                try MartletCommand.parseAsRoot(
                    ["keygen"] + words + ["--out", folder.path("x.key")]) as? KeygenCommand)
            let found = try failure { _ = try command.make() }
            #expect(found?.status == .wrongUsage)
            #expect(found?.sentence.hasPrefix(beginning) == true, "\(words): \(found as Any)")
            #expect(!folder.has("x.key"))
        }
    }
}
