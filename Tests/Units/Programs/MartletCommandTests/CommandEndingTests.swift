import ArgumentParser
import CommandSurface
import Testing

@testable import martlet

@Suite struct CommandEndingTests {
    /// What is typed, and what must be said about it.
    static let wrongUses: [(String, String)] = [
        ("bogus", "Unexpected argument 'bogus': there is no such command (see"),
        ("gte k", "Unexpected argument 'gte'. Did you mean 'martlet get'? (see"),
        ("statsu", "Did you mean 'martlet status'?"),
        ("flushall", "Did you mean 'martlet invalidate all'?"),
        ("del k", "Did you mean 'martlet delete'?"),
        ("config chek f", "Did you mean 'martlet config check'?"),
        ("queue dorp", "Did you mean 'martlet queue drop'?"),
        ("get a --namespce b", "Unknown option '--namespce'. Did you mean '--namespace'?"),
        ("set a b --ttl 5sec", "is not a length of time (did you mean 5s?); write"),
        ("set a b --ttl 10min", "(did you mean 10m?)"),
        ("get", "Missing expected argument '<keys> ...'"),
        ("get a --bogus", "Unknown option '--bogus'"),
        ("get a --host b", "Unknown option '--host', here it is '--cluster'"),
        ("set a b --ex 5", "Unknown option '--ex', here it is '--ttl'"),
        ("bench --pipeline 4", "Unknown option '--pipeline', here it is '--concurrency'"),
        ("get a --timeout 5", "has no unit; write 5s if seconds are meant"),
        ("get a --timeout 0s", "is too short; give 1ms to 1d"),
        ("get a --timeout 2d", "is too long; give 1ms to 1d"),
        ("get a --at-least 5", "a position is EPOCH:SEQUENCE, such as 1:42"),
        ("get a --namespace a/b", "a namespace has 1 to 64 of"),
        ("get a --node a/b", "a node's name has 1 to 64 of"),
        ("get a --fresh --allow-stale", "--fresh and --allow-stale exclude each other"),
        ("get a --raw --json", "--raw and --json exclude each other"),
        ("get a --node n1 --near n2", "--node leaves nothing for --near to choose"),
        ("get a --cluster foo", "--cluster: \"foo\" is not an endpoint"),
        ("get a --cluster tcp://127.0.0.1:7400,", "--cluster: \"\" is not an endpoint"),
        ("set a", "Missing expected argument '<value>'"),
        ("set a b c", "Unexpected argument 'c'"),
        ("set a b --ttl 10", "has no unit; write 10s if seconds are meant, or none"),
        ("set a b --ttl 0s", "is too short"),
        ("set a b --version 0", "a version is a whole number from 1 to 18446744073709551615"),
        ("set a b --version -1", "Missing value for '--version <version>'"),
        ("set a b --tag", "Missing value for '--tag <tag>'"),
        ("touch a", "Missing expected argument '--ttl <duration>'"),
        ("touch --ttl 5s", "Missing expected argument '<keys> ...'"),
        ("delete", "Missing expected argument '<keys> ...'"),
        ("delete a --wait some", "give none, quorum or all"),
        ("invalidate", "Missing expected argument '<key|tag|prefix|namespace|pattern|all>'"),
        ("invalidate shelf a", "Please provide one of 'key', 'tag', 'prefix', 'namespace'"),
        ("invalidate tag", "invalidate tag needs at least one name"),
        ("invalidate all a", "all takes no names"),
        ("invalidate tag a --min-version 3", "--min-version belongs to invalidate key"),
        ("invalidate all --namespace b", "all is every namespace"),
        ("invalidate namespace a --namespace b", "takes its names without --namespace"),
        ("invalidate namespace a/b", "\"a/b\": a namespace has 1 to 64 of"),
        ("invalidate pattern", "invalidate pattern needs at least one name"),
        ("invalidate pattern a.txt b.txt", "takes one pattern, not 2; quote it"),
        ("invalidate pattern a[b", "\"a[b\": at byte 2, a set that begins with [ has no ]"),
        ("invalidate pattern a* --over 5s", "a pattern has --rate"),
        ("invalidate pattern a* --min-version 3", "--min-version belongs to invalidate key"),
        ("invalidate pattern a* --rate 0", "a rate is 1/s to 1000000/s"),
        ("invalidate tag a --rate 5/s", "--rate belongs to invalidate pattern"),
        ("scan --match a\\", "a backslash at the end takes no byte"),
        ("scan --match a* --hottest 5", "--hottest goes with --prefix or --tag"),
        ("scan --prefix a --tag b", "--prefix and --tag exclude each other"),
        ("scan --limit 0", "a count is a whole number from 1"),
        ("scan a", "Unexpected argument 'a'"),
        ("status a", "Unexpected argument 'a'"),
        ("tail --from 5", "a position is EPOCH:SEQUENCE"),
        ("tail --namespace a", "Unknown option '--namespace'"),
        ("config check", "Missing expected argument '<file>'"),
        ("config bogus", "Unexpected argument 'bogus'"),
    ]

    @Test(arguments: wrongUses)
    func wrongUsageIsOneLineAndEndsWith64(line: String, sentence: String) throws {
        let ending = try Sample.ending(line)
        #expect(ending.status == 64)
        #expect(ending.text.isEmpty)
        #expect(ending.complaint.contains(sentence), "said: \(ending.complaint)")
        #expect(!ending.complaint.contains("\n"))
    }

    @Test func theComplaintNamesTheHelpOfTheCommand() throws {
        #expect(
            try Sample.ending("config check").complaint.hasSuffix(
                "(see martlet config check --help)"))
        #expect(try Sample.ending("bogus").complaint.hasSuffix("(see martlet --help)"))
    }

    @Test func onlyAnOptionThatTheCommandHasIsNamed() throws {
        let complaint = try Sample.ending("node --clients 5").complaint
        #expect(complaint.hasPrefix("Unknown option '--clients'") && !complaint.contains("here"))
    }

    @Test func aLongOrStrangeArgumentDoesNotFillTheScreen() throws {
        let key = String(repeating: "k", count: 5_000)
        let long = try Sample.ending(["get", key])
        #expect(long.complaint.contains("a key has 1 to 4096 bytes, not 5000"))
        #expect(long.complaint.count < 200)
        let option = try Sample.ending(["scan", "--prefix=\(key)"])
        #expect(option.complaint.contains("a prefix has 1 to 4096 bytes, not 5000"))
        #expect(option.complaint.count < 200)
        let strange = try Sample.ending(["get", "a", "\u{1B}[2J\n", "--bogus"])
        #expect(!strange.complaint.contains("\u{1B}"))
        #expect(!strange.complaint.contains("\n"))
    }

    @Test func moreScopesThanARecordHasAreRefusedWithASentence() throws {
        let names = (1...1_001).map { "k\($0)" }
        for command in [["invalidate", "key"], ["delete"]] {
            let ending = try Sample.ending(command + names)
            #expect(ending.status == 64)
            #expect(ending.complaint.contains("at most 1000 scopes, not 1001"))
            _ = try MartletCommand.parseAsRoot(command + names.dropLast())
        }
    }

    @Test func moreTagsThanAnEntryHasAreRefusedWithASentence() throws {
        let tags = (1...65).flatMap { ["--tag", "t\($0)"] }
        let ending = try Sample.ending(["set", "a", "b"] + tags)
        #expect(ending.status == 64)
        #expect(ending.complaint.contains("an entry has at most 64 tags, not 65"))
        _ = try MartletCommand.parseAsRoot(["set", "a", "b"] + tags.dropLast(2))
    }

    /// Every command that is listed, found by walking from the root.
    static let commands: [[String]] = {
        func walk(_ command: any ParsableCommand.Type, _ path: [String]) -> [[String]] {
            let listed = command.configuration.subcommands.filter {
                $0.configuration.shouldDisplay
            }
            let inner = listed.flatMap { walk($0, path + [$0._commandName]) }
            return path.isEmpty ? inner : [path] + inner
        }
        return walk(MartletCommand.self, [])
    }()

    @Test(arguments: commands)
    func everyCommandHasHelpWithAnExample(path: [String]) throws {
        let ending = try Sample.ending(path + ["--help"])
        #expect(ending.status == 0)
        #expect(ending.complaint.isEmpty)
        #expect(ending.text.contains("\n  martlet \(path.joined(separator: " "))"))
    }

    @Test func whatIsNotForeseenIsABugAndSaysSo() {
        struct Surprise: Error {}
        let ending = CommandEnding(Surprise(), of: MartletCommand.self, arguments: ["status"])
        #expect(ending.status == 70)
        #expect(ending.complaint.contains("please report it: Surprise()"))
    }

    @Test func aFailureEndsWithItsStatusAndSentence() {
        let failure = CommandFailure(.unreachable, "nobody is there")
        let ending = CommandEnding(failure, of: MartletCommand.self, arguments: [])
        #expect(ending.status == 3)
        #expect(ending.complaint == "nobody is there")
    }

    @Test func whatWasAlreadySaidIsNotSaidAgain() {
        let ending = CommandEnding(ExitCode(2), of: MartletCommand.self, arguments: [])
        #expect(ending.status == 2)
        #expect(ending.complaint.isEmpty && ending.text.isEmpty)
    }
}
