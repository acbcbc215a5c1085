import CacheLoading
import CacheModel
import CacheOrigin
import Foundation
import Testing
import TestSupport

/// What only programs do.
@Suite(.timeLimit(.minutes(2))) struct CommandOriginTests {
    /// What comes of one run of `words` for `key`.
    private func outcome(
        _ words: [String], key: String = "k", valueBytesMax: Int = 1_000,
        timeout: Duration = .seconds(20)
    ) async throws -> AttemptOutcome {
        let origin = CommandOrigin(try CommandTemplate(words))
        let request = try OriginRequest.test(
            key, valueBytesMax: valueBytesMax, timeout: timeout)
        let outcome = await origin.outcome(of: request)
        await origin.shutDown(grace: .seconds(5))
        return outcome
    }

    @Test func whatItPrintsIsTheValue() async throws {
        let printed = try await outcome(["printf", "%s-%s", "{namespace}", "{key}"])
        #expect(printed.reply?.body == Array("default-k".utf8))
        let whole = try await outcome(["/bin/sh", "-c", "echo no >&2; cat; printf x", "{key}"])
        #expect(whole.reply?.body == Array("x".utf8))
    }

    @Test func aKeyIsOneArgumentWhateverIsInIt() async throws {
        let key = "a b;$(echo c)`d`'\"\\*\n"
        let printed = try await outcome(["printf", "%s|", "{key}"], key: key)
        #expect(printed.reply?.body == Array((key + "|").utf8))
    }

    @Test func aKeyThatCouldMeanMoreIsNotRun() async throws {
        for key in ["-n", "../x", "a\u{0}b"] {
            let refused = try await outcome(["printf", "{key}"], key: key)
            #expect(refused == .failed(.refused))
        }
    }

    @Test(arguments: [(0, 200), (44, 404), (1, 503), (127, 503)])
    func itsCodeIsAStatus(code: Int, status: Int) async throws {
        let ended = try await outcome(["/bin/sh", "-c", "exit \(code)", "{key}"])
        #expect(ended.reply?.status == status)
    }

    @Test func aProgramThatIsKilledOrMissingIsUnreachable() async throws {
        let killed = try await outcome(["/bin/sh", "-c", "printf half; kill -9 $$", "{key}"])
        #expect(killed == .failed(.unreachable))
        let missing = try await outcome(["no-such-program-here", "{key}"])
        #expect(missing == .failed(.unreachable))
        let noFile = try await outcome(["/no/such/program", "{key}"])
        #expect(noFile == .failed(.unreachable))
    }

    @Test func aProgramMayWaitForItsChildren() async throws {
        let waited = try await outcome(["/bin/sh", "-c", "sleep 0 & wait; echo done", "{key}"])
        #expect(waited.reply?.body == Array("done\n".utf8))
    }

    @Test func aProgramThatPrintsForEverIsCutOff() async throws {
        let endless = try await outcome(["/bin/sh", "-c", "yes", "{key}"])
        #expect(endless == .failed(.tooLarge))
    }

    @Test func aTimeoutEndsTheProgramAndItsChildren() async throws {
        try await TemporaryDirectory.with { folder in
            let script = """
                sleep 40 & echo $! > \(folder.path)/child; echo $$ > \(folder.path)/parent; wait
                """
            let timedOut = try await outcome(
                ["/bin/sh", "-c", script, "{key}"], timeout: .milliseconds(500))
            #expect(timedOut == .failed(.timedOut))
            let patience = ContinuousClock.now + .seconds(10)
            for name in ["child", "parent"] {
                let text = try folder.text(of: name)
                let process = try #require(Int32(text.filter(\.isNumber)))
                while Self.runs(process), .now < patience { await Task.yield() }
                #expect(!Self.runs(process), "the \(name) still runs")
            }
        }
    }

    /// Whether a process runs; one that has ended and was not buried does not.
    private static func runs(_ process: Int32) -> Bool {
        let path = "/proc/\(process)/stat"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
        return text.split(separator: ")").last?.split(separator: " ").first != "Z"
    }
}
