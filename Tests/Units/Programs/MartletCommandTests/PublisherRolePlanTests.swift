import ArgumentParser
import CacheConfiguration
import CacheModel
import CommandSurface
import EtcdStorage
import Foundation
import PublisherServer
import Testing
import TestSupport

@testable import martlet

/// Which publisher `martlet publisher` is, and where it keeps the log: flags, variables, file.
@Suite struct PublisherRolePlanTests {
    private static let onEtcd =
        "log: etcd, etcd: {endpoints: ['http://f:1'], prefix: /file, state-directory: /file}"
    private static let several = """
        publisher: {log: etcd, etcd: {endpoints: ['http://f:1']}, lease: 4s}
        publishers:
          - {id: p1, endpoint: 'tcp://127.0.0.1:7400', state-directory: /s1, http: 9401}
          - {id: p2, endpoint: 'tcp://127.0.0.1:7500', state-directory: /s2, http: 9402}
        nodes: [{id: n1}]
        """
    private static let flags = [
        "--log", "etcd", "--etcd-endpoints", "http://a:1,http://b:2", "--state-directory", "/s",
    ]

    private static func one(_ publisher: String = "") -> String {
        "publisher: {\(publisher)}\nnodes: [{id: n1}]\n"
    }

    private func plan(
        _ flags: [String], _ file: String = one(), _ environment: [String: String] = [:]
    ) throws -> PublisherRolePlan {
        let command = try PublisherCommand.parse(flags)
        return try PublisherRolePlan(
            id: command.id, command.log, ClusterConfiguration.parse(file, fileName: "f"),
            environment: environment)
    }

    private func etcd(
        _ flags: [String], _ file: String = one(), _ environment: [String: String] = [:]
    ) throws -> EtcdSettings {
        guard case .etcd(let etcd) = try plan(flags, file, environment).settings.log else {
            throw TextProblem("the log is not on etcd")
        }
        return etcd
    }

    // MARK: Where the log is

    @Test func theLogIsWhereTheFlagTheVariableOrTheFileSays() throws {
        let file = Self.one("log: /file")
        let variable = ["MARTLET_LOG": "/variable"]
        #expect(try plan([]).settings.log == .memory)
        #expect(try plan([], file).settings.log == .directory("/file"))
        #expect(try plan([], file, variable).settings.log == .directory("/variable"))
        #expect(try plan(["--log", "/l"], file, variable).settings.log == .directory("/l"))
        #expect(try plan(["--log", ""], file, variable).settings.log == .memory)
        #expect(try plan(["--log", "./etcd"], file).settings.log == .directory("./etcd"))
        let synchronized = try plan(["--log", "/l", "--log-sync", "none"]).settings
        #expect(synchronized.logSync == .none)
    }

    @Test func flagsSayAllOfALogOnEtcd() throws {
        let etcd = try etcd(
            Self.flags + [
                "--etcd-prefix", "/p", "--etcd-user", "u", "--etcd-password-file", "/pw",
            ])
        #expect(etcd.endpoints == ["http://a:1", "http://b:2"] && etcd.prefix == "/p")
        #expect(etcd.user == "u" && etcd.passwordFile == "/pw" && etcd.stateDirectory == "/s")
        #expect(etcd.authority == nil && etcd.certificate == nil && etcd.key == nil)
        let plain = try self.etcd(Self.flags)
        #expect(plain.prefix == "/martlet/" && plain.user == nil)
        let encrypted = try self.etcd([
            "--log", "etcd", "--etcd-endpoints", "https://a:1", "--state-directory", "/s",
            "--etcd-ca", "/ca", "--etcd-certificate", "/c", "--etcd-key", "/k",
        ])
        #expect(encrypted.authority == "/ca" && encrypted.certificate == "/c")
        #expect(encrypted.key == "/k")
    }

    @Test func variablesSayTheSame() throws {
        let etcd = try etcd(
            [], Self.one(),
            [
                "MARTLET_LOG": "etcd", "MARTLET_ETCD_ENDPOINTS": "https://a:1",
                "MARTLET_ETCD_PREFIX": "/p", "MARTLET_ETCD_USER": "u",
                "MARTLET_ETCD_PASSWORD_FILE": "/pw", "MARTLET_ETCD_CA": "/ca",
                "MARTLET_ETCD_CERTIFICATE": "/c", "MARTLET_ETCD_KEY": "/k",
                "MARTLET_STATE_DIRECTORY": "/s",
            ])
        var wanted = EtcdSettings(endpoints: ["https://a:1"])
        (wanted.prefix, wanted.user, wanted.passwordFile) = ("/p", "u", "/pw")
        (wanted.authority, wanted.certificate, wanted.key) = ("/ca", "/c", "/k")
        wanted.stateDirectory = "/s"
        #expect(etcd == wanted)
    }

    @Test func aFlagWinsOverTheVariableAndThatOverTheFile() throws {
        let file = Self.one(Self.onEtcd)
        let variable = ["MARTLET_ETCD_PREFIX": "/variable", "MARTLET_ETCD_USER": ""]
        #expect(try etcd([], file).prefix == "/file")
        #expect(try etcd([], file, variable).prefix == "/variable")
        let flag = try etcd(["--etcd-prefix", "/flag"], file, variable)
        #expect(flag.prefix == "/flag" && flag.endpoints == ["http://f:1"])
        #expect(flag.stateDirectory == "/file" && flag.user == nil)
        // The variable alone is for a publisher elsewhere.
        #expect(try plan([], Self.one(), variable).settings.log == .memory)
    }

    @Test func aLogOnEtcdHasItsOwnRetention() throws {
        #expect(try plan(Self.flags).settings.retentionBytesMax == 64 << 20)
        let given = try plan(Self.flags, Self.one("retention: {bytes: 1MiB}"))
        #expect(given.settings.retentionBytesMax == 1 << 20)
        let ofEtcd = try plan([], Self.one(Self.onEtcd + ", retention: {bytes: 256MiB}"))
        #expect(ofEtcd.settings.retentionBytesMax == 256 << 20)
        #expect(try plan([]).settings.retentionBytesMax == 256 << 20)
    }

    // MARK: Which publisher it is

    @Test func oneOfSeveralIsChosenByItsName() throws {
        let plan = try plan(["--id", "p2"], Self.several)
        #expect(plan.name == "p2" && plan.settings.endpoint == "tcp://127.0.0.1:7500")
        #expect(plan.settings.http?.port == 9_402 && plan.settings.lease == .seconds(4))
        let options = try #require(try plan.etcd())
        #expect(options.name == "p2" && options.stateDirectory == "/s2")
        #expect(options.client == EtcdOptions(endpoints: ["http://f:1"]))
        let variable = ["MARTLET_ID": "p1", "MARTLET_STATE_DIRECTORY": "/v"]
        let other = try self.plan([], Self.several, variable)
        #expect(other.name == "p1" && other.settings.http?.port == 9_401)
        #expect(try other.etcd()?.stateDirectory == "/v")
    }

    @Test func aPublisherThatNoFileListsHasANameToo() throws {
        #expect(try plan(Self.flags).name == "publisher")
        #expect(try plan(Self.flags + ["--id", "left"]).name == "left")
        #expect(try plan([], Self.one(Self.onEtcd), ["MARTLET_ID": "v"]).name == "v")
        // A variable that a node needs is no mistake.
        #expect(try plan([], Self.one(), ["MARTLET_ID": "n1"]).settings.log == .memory)
        #expect(try plan([]).etcd() == nil)
    }

    // MARK: What is refused

    private static let wrongUsages: [(flags: [String], file: String, beginning: String)] = [
        (["--log", "etcd"], one(), "a log on etcd needs its members: say --etcd-endpoints URL"),
        (
            ["--log", "etcd", "--etcd-endpoints", "http://a:1"], one(),
            "a log on etcd needs a directory of this publisher alone, for how far it has seen the "
                + "log: say --state-directory DIRECTORY too"
        ),
        (
            ["--etcd-prefix", "/p"], one(),
            "--state-directory and what begins with --etcd- are for a log on etcd: say --log etcd"
        ),
        (["--state-directory", "/s"], one("log: /l"), "--state-directory and what begins with"),
        (
            ["--log", "/l", "--etcd-user", "u"], one(onEtcd),
            "--state-directory and what begins with"
        ),
        (
            flags + ["--log-sync", "none"], one(),
            "--new-epoch and --log-sync are for a log on disk"
        ),
        (["--new-epoch"], one(onEtcd), "--new-epoch and --log-sync are for a log on disk: etcd"),
        (["--new-epoch"], one(), "--new-epoch and --log-sync are for a log on disk: say --log DIR"),
        (
            flags + ["--etcd-endpoints", "a:1"], one(),
            "--etcd-endpoints: \"a:1\" is no endpoint of"
        ),
        (flags + ["--etcd-prefix", "p"], one(), "--etcd-prefix: \"p\" is no prefix; begin with /"),
        (flags + ["--etcd-user", ""], one(), "--etcd-user: \"\" is no user of etcd"),
        (
            flags + ["--etcd-user", "u"], one(),
            "--etcd-user: user is nothing without password-file"
        ),
        (flags + ["--etcd-ca", "/c"], one(), "--etcd-ca: this is for an encrypted connection"),
        (flags + ["--state-directory", ""], one(), "--state-directory: that is no directory"),
        (flags + ["--id", "a b"], one(), "--id: \"a b\" is not a name; use 1 to 64 of a-z"),
        (
            ["--id", "p1"], one(),
            "--id is for one of several publishers: list them under publishers"
        ),
        (
            [], several,
            "--id is missing: which publisher of the configuration is this? It lists p1,"
        ),
        (["--id", "p 1"], several, "--id: \"p 1\" is not a name"),
        (
            ["--id", "p1", "--log", "/l"], several,
            "--log: the configuration lists several publishers, and they share a log on etcd: "
                + "leave it out, or say etcd"
        ),
        (
            ["--id", "p1", "--log", ""], several,
            "--log: the configuration lists several publishers"
        ),
    ]

    @Test(arguments: wrongUsages)
    func wrongUsageIsRefusedWithARemedy(flags: [String], file: String, beginning: String) throws {
        let failure = try failure { _ = try plan(flags, file) }
        #expect(failure?.sentence.hasPrefix(beginning) == true, "\(failure?.sentence ?? "taken")")
        #expect(failure?.status == .wrongUsage)
    }

    @Test func aWrongVariableIsNamed() throws {
        let variables = ["MARTLET_LOG": "etcd", "MARTLET_ETCD_ENDPOINTS": "a"]
        let endpoints = try failure { _ = try plan([], Self.one(), variables) }
        #expect(endpoints?.sentence.hasPrefix("MARTLET_ETCD_ENDPOINTS: \"a\" is no") == true)
        let log = try failure {
            _ = try plan([], Self.several, ["MARTLET_ID": "p1", "MARTLET_LOG": "/l"])
        }
        #expect(log?.sentence.hasPrefix("MARTLET_LOG: the configuration lists several") == true)
    }

    private static let unusable: [(flags: [String], file: String, beginning: String)] = [
        (
            ["--id", "p3"], several,
            "publisher p3 is not in the configuration, which lists p1, p2: "
        ),
        (flags, one("log: /l, retention: {age: 1h}"), "publisher.retention.age is for a log on "),
        (flags, one("retention: {bytes: 2GiB}"), "publisher.retention.bytes is more than a log on"),
    ]

    @Test(arguments: unusable)
    func aConfigurationThatDoesNotFitIsRefused(
        flags: [String], file: String, beginning: String
    ) throws {
        let failure = try failure { _ = try plan(flags, file) }
        #expect(failure?.sentence.hasPrefix(beginning) == true, "\(failure?.sentence ?? "taken")")
        #expect(failure?.status == .unusableConfiguration)
    }

    @Test func aBuildWithoutTheClientSaysSo() throws {
        let absent = BuildFeature(noun: "oven", isBuiltIn: false)
        func refusal(
            _ flags: [String], _ log: LogStorage, _ environment: [String: String] = [:]
        ) throws -> CommandFailure? {
            let options = try PublisherCommand.parse(flags).log
            return try failure {
                _ = try options.storage(log, httpClient: absent, environment: environment)
            }
        }
        let flag = try refusal(Self.flags, .memory)
        #expect(flag?.status == .wrongUsage)
        #expect(flag?.sentence.hasPrefix("--log etcd: this build of martlet has no oven") == true)
        let variable = try refusal([], .memory, ["MARTLET_LOG": "etcd"])
        #expect(variable?.status == .wrongUsage)
        #expect(variable?.sentence.hasPrefix("MARTLET_LOG etcd: this build") == true)
        let file = try refusal([], .etcd(EtcdSettings(endpoints: ["http://a:1"])))
        #expect(file?.status == .unusableConfiguration)
        #expect(file?.sentence.hasPrefix("publisher.log: etcd: this build of martlet has") == true)
        #expect(try refusal([], .directory("/l")) == nil)
    }
}

/// The files that a log on etcd names.
@Suite struct EtcdFilesTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func file(_ text: String, mode: mode_t = 0o600) throws -> String {
        let path = folder.path(UUID().uuidString)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, mode)
        return path
    }

    private func options(
        _ change: (inout EtcdSettings) -> Void
    ) throws -> EtcdOptions {
        var settings = EtcdSettings(endpoints: ["https://a:1"])
        change(&settings)
        return try EtcdOptions(reading: settings)
    }

    @Test func theFilesAreRead() throws {
        let (password, authority) = (try file("secret pass\n"), try file("A", mode: 0o644))
        let (certificate, key) = (try file("C", mode: 0o644), try file("K"))
        let options = try options {
            ($0.user, $0.passwordFile, $0.authority) = ("u", password, authority)
            ($0.certificate, $0.key) = (certificate, key)
        }
        #expect(options.endpoints == ["https://a:1"] && options.user == "u")
        #expect(options.password == "secret pass" && options.authority == Array("A".utf8))
        #expect(options.certificate == Array("C".utf8) && options.key == Array("K".utf8))
    }

    @Test(arguments: ["p", "p\n", "p\r\n"])
    func theEndOfALineIsNoPartOfAPassword(text: String) throws {
        let path = try file(text)
        #expect(try options { ($0.user, $0.passwordFile) = ("u", path) }.password == "p")
    }

    @Test(arguments: ["", "\n", "a\nb", "a\n\n", String(repeating: "x", count: 1_025)])
    func whatIsNoPasswordIsRefusedAndNotRepeated(text: String) throws {
        let path = try file(text)
        let failure = try failure { _ = try options { $0.passwordFile = path } }
        #expect(
            failure?.sentence
                == "\(path) holds no password of etcd: one line of 1 to 1024 bytes is wanted")
        #expect(failure?.status == .unusableConfiguration)
    }

    @Test(arguments: [0o640, 0o604] as [mode_t])
    func aSecretThatOthersMayReadIsRefused(mode: mode_t) throws {
        let path = try file("secret\n", mode: mode)
        let refusals = [
            try failure { _ = try options { $0.passwordFile = path } },
            try failure { _ = try options { $0.key = path } },
        ]
        for refusal in refusals {
            #expect(refusal?.status == .unusableConfiguration)
            let sentence = refusal?.sentence ?? ""
            #expect(sentence.contains("it may be read by others (mode \(String(mode, radix: 8)))"))
            #expect(sentence.contains("chmod 600 it") && !sentence.contains("secret\n"))
        }
        // A certificate is no secret.
        #expect(try options { $0.certificate = path }.certificate?.isEmpty == false)
    }

    @Test func aFileThatIsNotThereIsNamed() throws {
        for change in [
            { $0.passwordFile = "/nowhere" }, { $0.authority = "/nowhere" },
            { $0.certificate = "/nowhere" }, { $0.key = "/nowhere" },
        ] as [(inout EtcdSettings) -> Void] {
            let failure = try failure { _ = try options(change) }
            #expect(failure?.sentence.hasPrefix("/nowhere, which the connection to etcd") == true)
            #expect(
                failure?.sentence.hasSuffix("No such file or directory; check the path") == true)
        }
    }
}
