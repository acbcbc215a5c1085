import Testing

@testable import CacheAccess

/// Each thing that can be wrong with a line, and what is said of it.
@Suite struct AccessListProblemTests {
    private static let key = Sample.digits(1)

    /// A line, what is wrong with it, and the words that begin what is said.
    static let wrongLines: [(String, AccessListProblem.Reason, String)] = [
        ("web", .tooFewWords, "a name, a public key and roles are wanted: NAME KEY ROLES"),
        ("web \(key)", .tooFewWords, "a name, a public key and roles are wanted: NAME KEY ROLES"),
        ("web \(key) read a 2027-01-31 more", .tooManyWords, "there are more than five words"),
        ("wéb \(key) read", .name("w?b"), "“w?b” is no name: 1 to 64 of a–z A–Z 0–9 . _ -"),
        ("a/b \(key) read", .name("a/b"), "“a/b” is no name"),
        ("web \(key.dropLast()) read", .key, "the second word is no public key: 64 hexadecimal"),
        ("web \(key.dropLast())g read", .key, "the second word is no public key: 64 hexadecimal"),
        ("web \(key)00 read", .key, "the second word is no public key: 64 hexadecimal digits"),
        ("a \(key) read\nb \(key) read", .keyTwice(line: 1), "this key is already in line 1"),
        ("web \(key) reed", .role("reed"), "“reed” is no role; there are read, write, invalidate"),
        ("web \(key) read,Read", .role("Read"), "“Read” is no role; there are read, write, "),
        ("web \(key) read,", .noRole, "a role is wanted between commas"),
        ("web \(key) ,", .noRole, "a role is wanted between commas"),
        ("web \(key) read ,a", .namespace(""), "“” is neither * nor a namespace, which has"),
        ("web \(key) read a,*b", .namespace("*b"), "“*b” is neither * nor a namespace"),
        ("web \(key) read a/x*", .star("a/x*"), "“a/x*”: the text after the /"),
        ("web \(key) read **", .namespace("**"), "“**” is neither * nor a namespace"),
        ("web \(key) read */t:", .namespace("*/t:"), "“*/t:” is neither * nor a namespace"),
        ("web \(key) read a*/t:", .namespace("a*/t:"), "“a*/t:” is neither * nor a namespace"),
        ("web \(key) read a/", .beginning("a/"), "“a/”: after the / the beginning of keys is"),
        ("web \(key) read a/%4", .beginning("a/%4"), "“a/%4”: after the / the beginning of keys"),
        ("web \(key) read a/%zz", .beginning("a/%zz"), "“a/%zz”: after the / the beginning of"),
        ("web \(key) read a 2027-02-29", .date("2027-02-29"), "“2027-02-29” is no date: 2027"),
        ("n1 \(key) node a", .nodeWithPatterns, "a node is trusted with all keys, so that"),
        ("n1 \(key) read,node a,b", .nodeWithPatterns, "a node is trusted with all keys"),
    ]

    @Test(arguments: wrongLines)
    func aWrongLineIsRefusedWithItsNumberAndReason(
        line: String, reason: AccessListProblem.Reason, beginning: String
    ) throws {
        let found = try #require(problem("# a comment\n\n" + line))
        let expected = line.contains("\n") ? AccessListProblem.Reason.keyTwice(line: 3) : reason
        #expect(found.reason == expected)
        #expect(found.line == (line.contains("\n") ? 4 : 3))
        #expect(reason.sentence.hasPrefix(beginning), "\(reason.sentence)")
        #expect(found.description == "line \(found.line): \(expected.sentence)")
    }

    @Test func whatIsAboutTheWholeHasNoLine() {
        let problem = AccessListProblem(line: 0, reason: .notText)
        #expect(problem.description == "the list is not UTF-8 text")
        #expect(
            AccessListProblem.Reason.tooManyEntries.sentence
                == "a list has at most 10000 entries")
    }

    @Test func theRolesThatThereAreAreAllNamed() {
        #expect(
            AccessListProblem.Reason.role("x").sentence
                == "“x” is no role; there are read, write, invalidate, metrics, admin, node, relay")
    }

    /// The list's words end in logs and terminals.
    @Test(arguments: [
        "w\u{1B}[31m \(key) read", "web \(key) \u{1B}]0;x\u{7}", "web \(key) read \u{1B}[2J",
        "web \(key) read \u{1B}/x", "web \(key) read a/%\u{1B}", "web \(key) read \u{9B}*",
        "web \(key) read a \u{202E}2027",
    ])
    func nothingThatIsShownCanSteerATerminal(line: String) throws {
        let found = try #require(problem(line))
        let shown = found.description.unicodeScalars.filter { $0.value < 0x20 || $0.value == 0x7F }
        #expect(shown.isEmpty, "\(found)")
        #expect(!found.description.contains("\u{9B}") && !found.description.contains("\u{202E}"))
    }

    @Test(arguments: ["a/%", "*/", "", "a*/"])
    func aLongWordIsCutWhereItIsShown(beginning: String) throws {
        let word = beginning + String(repeating: "x", count: 5_000)
        let found = try #require(problem("web \(Self.key) read \(word)"))
        #expect(found.description.contains("x…”"))
        #expect(found.description.count < 300)
    }
}
