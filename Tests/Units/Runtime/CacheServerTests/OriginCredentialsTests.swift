import CacheLoading
import CacheModel
import Testing
import TestSupport

@testable import CacheServer

/// What a node shows to its origins, as its files change.
@Suite struct OriginCredentialsTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    private struct World {
        let folder: TemporaryDirectory
        let log = LinesLogged()
        var credentials: OriginCredentials

        init(_ policy: OriginPolicy, files: [String: String]) throws {
            folder = try TemporaryDirectory()
            for (name, text) in files { try folder.write(text, to: name) }
            var sources = SecretSources()
            sources.environment = ["TEAM": "cache"]
            sources.directory = folder.path
            credentials = OriginCredentials(sources, logger: log.logger)
            usable = credentials.usable([.default: policy], now: start)
        }

        private(set) var usable: [Namespace: OriginPolicy] = [:]
    }

    private func policy(_ value: String) -> OriginPolicy {
        var policy = OriginPolicy(url: "http://h/{key}")
        policy.fields = [OriginField(name: "authorization", value: value)]
        return policy
    }

    private func request(_ policy: OriginPolicy) throws -> OriginRequest {
        OriginRequest(
            namespace: .default, key: try #require(CacheKey("k")), policy: policy,
            valueBytesMax: 10, timeout: .seconds(5))
    }

    private func refused(after elapsed: Duration = .zero) -> AttemptOutcome {
        .answered(OriginReply(status: 401, fields: [], body: [], elapsed: elapsed))
    }

    @Test func aFileAndAVariableAreFilledIn() throws {
        let world = try World(policy("${TEAM} ${file:token}"), files: ["token": "abc\r\n\n"])
        #expect(world.usable[.default]?.fields.map(\.value) == ["cache abc"])
    }

    @Test(arguments: ["", "\n", "a\u{1}b", String(repeating: "x", count: 8_193)])
    func aNamespaceWithAnUnusableCredentialFileHasNoOrigin(text: String) throws {
        let world = try World(policy("${file:token}"), files: ["token": text])
        #expect(world.usable.isEmpty)
        #expect(world.log.lines.contains { $0.contains("has no origin") })
    }

    @Test func aMissingFileIsNamedWithItsPath() throws {
        let world = try World(policy("${file:token}"), files: [:])
        #expect(world.usable.isEmpty)
        #expect(
            world.log.lines.contains {
                $0.contains("\(world.folder.path)/token") && $0.contains("--secrets-directory")
            })
    }

    @Test func aRefusedRequestIsRetriedWithTheCurrentCredential() throws {
        var world = try World(policy("${file:token}"), files: ["token": "old"])
        let first = world.credentials.completed(
            try request(policy("${file:token}")), now: Self.start)
        #expect(first.policy.fields.map(\.value) == ["old"])
        let later = Self.start.advanced(by: .seconds(2))
        #expect(world.credentials.repetition(of: first, after: refused(), now: later) == nil)
        try world.folder.write("new", to: "token")
        let soon = later.advanced(by: .milliseconds(90))
        #expect(
            world.credentials.repetition(of: first, after: refused(), now: soon) == nil,
            "a file is read at most ten times a second")
        let after = later.advanced(by: .seconds(1))
        let repeated = world.credentials.repetition(
            of: first, after: refused(after: .seconds(2)), now: after)
        let again = try #require(repeated)
        #expect(again.policy.fields.map(\.value) == ["new"])
        #expect(again.timeout == .seconds(3), "what is left of its time")
        #expect(world.credentials.repetition(of: again, after: refused(), now: after) == nil)
        // Another that was sent with the old one needs no further reading.
        #expect(
            world.credentials.repetition(of: first, after: refused(), now: after)?.policy.fields
                == again.policy.fields)
        #expect(
            world.credentials.repetition(
                of: first, after: refused(after: .seconds(5)), now: after) == nil,
            "without a rest of its time it fails")
    }

    @Test func otherAnswersAreLastWords() throws {
        var world = try World(policy("${file:token}"), files: ["token": "old"])
        let first = world.credentials.completed(
            try request(policy("${file:token}")), now: Self.start)
        try world.folder.write("new", to: "token")
        let later = Self.start.advanced(by: .seconds(2))
        for status in [200, 403, 500] {
            let reply = OriginReply(status: status, fields: [], body: [], elapsed: .zero)
            #expect(
                world.credentials.repetition(of: first, after: .answered(reply), now: later)
                    == nil)
        }
        #expect(
            world.credentials.repetition(of: first, after: .failed(.timedOut), now: later) == nil)
    }

    @Test func aFileThatGoesLeavesWhatItHeld() throws {
        var world = try World(policy("${file:token}"), files: ["token": "old"])
        let plain = try request(policy("${file:token}"))
        let first = world.credentials.completed(plain, now: Self.start)
        try world.folder.write("", to: "token")
        for second in 2...4 {
            let now = Self.start.advanced(by: .seconds(second))
            #expect(world.credentials.repetition(of: first, after: refused(), now: now) == nil)
        }
        #expect(world.credentials.completed(plain, now: Self.start) == first)
        #expect(world.log.lines.count { $0.contains("keeps the secrets") } == 1, "told once")
    }

    @Test func aNamespaceWithoutFilesIsSentAsItIs() throws {
        var world = try World(policy("plain"), files: [:])
        let plain = try request(policy("plain"))
        #expect(world.credentials.completed(plain, now: Self.start) == plain)
        #expect(
            world.credentials.repetition(
                of: plain, after: refused(), now: Self.start.advanced(by: .seconds(9))) == nil)
    }

    @Test func aChangeOfTheConfigurationTakesNoSecretAway() throws {
        let policy = policy("${file:token}")
        var world = try World(policy, files: ["token": "old"])
        try world.folder.write("", to: "token")
        var other = policy
        other.timeout = .seconds(9)
        let usable = world.credentials.usable([.default: other], now: Self.start)
        #expect(usable[.default]?.fields.map(\.value) == ["old"])
        #expect(usable[.default]?.timeout == .seconds(9))
        #expect(world.credentials.nextTry == nil)
    }

    @Test func aFileThatComesLaterIsFound() throws {
        var world = try World(policy("${file:token}"), files: [:])
        let due = try #require(world.credentials.nextTry)
        #expect(due == Self.start.advanced(by: .seconds(1)))
        var found = world.credentials.retried(now: due)
        #expect(found == nil)
        #expect(world.log.lines.count { $0.contains("has no origin") } == 1, "told once")
        try world.folder.write("new", to: "token")
        found = world.credentials.retried(now: due)
        #expect(found == nil, "not before a second is over")
        found = world.credentials.retried(now: due.advanced(by: .seconds(1)))
        #expect(found?[.default]?.fields.map(\.value) == ["new"])
        #expect(world.credentials.nextTry == nil)
    }

    /// The operator of the former URL could answer 401 to be sent the new secret.
    @Test func aNewSecretIsNotSentToTheOldPlace() throws {
        var world = try World(policy("${file:token}"), files: ["token": "old", "other": "new"])
        let first = world.credentials.completed(
            try request(policy("${file:token}")), now: Self.start)
        var moved = policy("${file:other}")
        moved.url = "https://elsewhere/{key}"
        _ = world.credentials.usable([.default: moved], now: Self.start)
        let later = Self.start.advanced(by: .seconds(2))
        let again = world.credentials.repetition(of: first, after: refused(), now: later)
        #expect(again == nil)
    }
}
