import CacheConfiguration
import CacheModel
import Testing

/// A log on etcd, and several publishers: what is read, and the exact lines that refuse a file.
@Suite struct SharedLogParsingTests {
    typealias Case = ClusterConfigurationParsingTests.Case

    private func etcd(_ configuration: ClusterConfiguration) throws -> EtcdSettings {
        guard case .etcd(let etcd) = configuration.publisher.log else {
            throw TextProblem("\(configuration.publisher.log) is not on etcd")
        }
        return etcd
    }

    @Test func everyKeyReachesItsField() throws {
        let configuration = try ConfigurationSamples.parsed(ConfigurationSamples.several)
        let etcd = try etcd(configuration)
        #expect(etcd.endpoints == ["https://10.0.0.1:2379", "https://etcd-2.example:2379"])
        #expect(etcd.prefix == "/caches/one" && etcd.user == "martlet")
        #expect(etcd.passwordFile == "/etc/martlet/etcd-password")
        #expect(etcd.authority == "/etc/martlet/etcd-ca.pem")
        #expect(etcd.certificate == "/etc/martlet/etcd.pem")
        #expect(etcd.key == "/etc/martlet/etcd-key.pem" && etcd.stateDirectory == nil)
        #expect(configuration.publisher.retentionBytesMax == 1 << 30)
        let publishers = configuration.publishers
        #expect(publishers.map(\.id.name) == ["p1", "p2"])
        #expect(publishers.map(\.liveEndpoint) == [nil, "tcp://10.0.0.2:7500"])
        #expect(publishers.map(\.http?.port) == [9_400, 9_400])
        #expect(
            publishers.map(\.stateDirectory)
                == Array(repeating: publishers[0].stateDirectory, count: 2))
    }

    @Test func whatIsLeftOutHasItsDefault() throws {
        let configuration = try ConfigurationSamples.parsed(ConfigurationSamples.etcd)
        let etcd = try etcd(configuration)
        #expect(etcd.prefix == "/martlet/" && etcd.stateDirectory == "state")
        #expect(etcd.user == nil && etcd.authority == nil && etcd.key == nil)
        #expect(configuration.publisher.retentionBytesMax == 64 << 20)
        #expect(configuration.publisher.retentionRecordsMax == 1_000_000)
        #expect(configuration.publishers.isEmpty)
        #expect(configuration.publisher.endpoint == "tcp://127.0.0.1:7400")
    }

    @Test func aDirectoryMayBeCalledAsEtcdIs() throws {
        let text = "nodes: [{id: n1}]\npublisher: {log: ./etcd}\n"
        var configuration = try ConfigurationSamples.parsed(text)
        #expect(configuration.publisher.log == .directory("./etcd"))
        configuration.publisher.log = .directory("etcd")
        let again = try ConfigurationSamples.parsed(configuration.yamlText())
        #expect(again.publisher.log == .directory("./etcd"))
    }

    @Test func nodesFindThePlacesOfAllPublishers() throws {
        let several = try ConfigurationSamples.parsed(ConfigurationSamples.several)
        #expect(
            several.publisherAddresses.map(\.control)
                == ["tcp://10.0.0.1:7400", "tcp://10.0.0.2:7400"])
        #expect(
            several.publisherAddresses.map(\.live)
                == ["tcp://10.0.0.1:7401", "tcp://10.0.0.2:7500"])
        let one = try ConfigurationSamples.parsed(ConfigurationSamples.full)
        #expect(one.publisherAddresses.map(\.control) == ["tcp://127.0.0.1:7500"])
        #expect(one.publisherAddresses.map(\.live) == ["tcp://127.0.0.1:7600"])
    }

    @Test func aPublisherHasWhatAllShareAndItsOwn() throws {
        let configuration = try ConfigurationSamples.parsed(ConfigurationSamples.several)
        let id = try #require(NodeID("p2"))
        let settings = try #require(configuration.publisherSettings(of: id))
        #expect(settings.endpoint == "tcp://10.0.0.2:7400" && settings.lease == .seconds(4))
        #expect(settings.effectiveLiveEndpoint == "tcp://10.0.0.2:7500")
        #expect(settings.http?.port == 9_400)
        var etcd = try etcd(configuration)
        etcd.stateDirectory = "/var/lib/martlet/publisher"
        #expect(settings.log == .etcd(etcd))
        let unknown = try #require(NodeID("p3"))
        #expect(configuration.publisherSettings(of: unknown) == nil)
    }

    /// So that a node of a release that knows one publisher can still read what it is served.
    @Test func aFileWithOnePublisherSaysNothingOfSeveral() throws {
        let served = try ConfigurationSamples.parsed(ConfigurationSamples.full).servedText()
        #expect(!served.contains("etcd") && !served.contains("publishers"))
    }

    @Test func theRevisionChangesWithEverySetting() throws {
        let base = try ConfigurationSamples.parsed(ConfigurationSamples.several)
        func changed(_ change: (inout EtcdSettings) -> Void) throws -> ClusterConfiguration {
            var etcd = try etcd(base)
            change(&etcd)
            var configuration = base
            configuration.publisher.log = .etcd(etcd)
            return configuration
        }
        var all = [
            base, try changed { $0.endpoints.removeLast() }, try changed { $0.prefix = "/other" },
            try changed { $0.user = nil }, try changed { $0.passwordFile = nil },
            try changed { $0.authority = nil }, try changed { $0.certificate = nil },
            try changed { $0.key = nil }, try changed { $0.stateDirectory = "s" },
        ]
        let changes: [(inout PublisherMember) -> Void] = [
            { $0.endpoint = "tcp://10.0.0.9:1" }, { $0.liveEndpoint = "tcp://10.0.0.9:2" },
            { $0.http = nil }, { $0.stateDirectory = "s" },
        ]
        for change in changes {
            var configuration = base
            change(&configuration.publishers[0])
            all.append(configuration)
        }
        var swapped = base
        swapped.publishers.swapAt(0, 1)
        all.append(swapped)
        #expect(Set(all.map(\.revision)).count == all.count)
    }

    /// A file whose settings of etcd are `settings`, on the third line from column 10 on.
    private static func file(_ settings: String) -> String {
        "nodes: [{id: n1}]\npublisher: {log: etcd,\n  etcd: {\(settings)}}\n"
    }

    private static let least = "endpoints: ['http://a:1'], state-directory: s"

    @Test(arguments: [
        Case(
            "nodes: [{id: n1}]\npublisher: {log: etcd}\n",
            "f:2:18: publisher.log: a log on etcd needs \"etcd:\" with its endpoints and a "
                + "state-directory; a directory of this name is written ./etcd"),
        Case(
            "nodes: [{id: n1}]\npublisher: {etcd: {\(least)}}\n",
            "f:2:19: publisher.etcd: these are settings of a log on etcd; give \"log: etcd\" too, "
                + "or remove them"),
        Case(
            "nodes: [{id: n1}]\npublisher: {log: /log, etcd: {\(least)}}\n",
            "f:2:30: publisher.etcd: these are settings of a log on etcd; give \"log: etcd\" too, "
                + "or remove them"),
        Case(
            "nodes: [{id: n1}]\npublisher: {log: etcd, etcd: here}\n",
            "f:2:30: publisher.etcd: here must stand settings, one \"name: value\" a line; found "
                + "the value \"here\""),
        Case(
            file("\(least), tls: on"),
            "f:3:57: publisher.etcd.tls: there is no such setting; known here: endpoints, prefix, "
                + "user, password-file, ca, certificate, key, state-directory"),
        Case(
            "nodes: [{id: n1}]\npublisher: {log: etcd, log-sync: none, etcd: {\(least)}}\n",
            "f:2:34: publisher.log-sync: etcd synchronizes every record before the publisher sends "
                + "it; remove the line"),
        Case(
            "nodes: [{id: n1}]\npublisher: {log: etcd, etcd: {\(least)},\n"
                + "  retention: {bytes: 2GiB, age: none}}\n",
            "f:3:22: publisher.retention.bytes: \"2GiB\" is too large; give 64KiB to 1GiB",
            "f:3:33: publisher.retention.age: a log on etcd is bounded by records and bytes: it "
                + "keeps no file of each age that could be deleted; remove the line"),
    ])
    func aLogOnEtcdHasItsSettingsAndNoOthers(wrong: Case) {
        #expect(ConfigurationSamples.refusal(of: wrong.text) == wrong.lines)
    }

    @Test(arguments: [
        Case(
            file(""),
            "f:3:9: publisher.etcd.endpoints: there is no endpoint of etcd; give its members, as "
                + "in \"endpoints: [http://127.0.0.1:2379]\"",
            "f:3:9: publisher.etcd.state-directory: the publisher has no place for how far it has "
                + "seen the log; give a directory of its own, for example \"state-directory: "
                + "/var/lib/martlet/publisher\""),
        Case(
            file("endpoints: 'http://a:1', state-directory: s"),
            "f:3:21: publisher.etcd.endpoints: here must stand a list, as in \"endpoints: "
                + "[http://127.0.0.1:2379]\"; found the value \"http://a:1\""),
        Case(
            file("endpoints: [], state-directory: s"),
            "f:3:21: publisher.etcd.endpoints: 1 to 16 endpoints of etcd can be given; found 0"),
        Case(
            file("endpoints: ['a:1', [], 'http://a:1', 'http://a:1'], state-directory: s"),
            "f:3:22: publisher.etcd.endpoints[0]: \"a:1\" is no endpoint of etcd; write "
                + "http://HOST:PORT or https://HOST:PORT, for example http://127.0.0.1:2379",
            "f:3:29: publisher.etcd.endpoints[1]: here must stand an endpoint such as "
                + "http://127.0.0.1:2379; found a list; give one",
            "f:3:47: publisher.etcd.endpoints[3]: http://a:1 is given twice; remove one"),
        Case(
            file("endpoints: ['http://a:1'], state-directory: ''"),
            "f:3:54: publisher.etcd.state-directory: that is no directory; give a path of 1 to "
                + "1000 bytes"),
        Case(
            file("\(least), prefix: martlet, user: ''"),
            "f:3:65: publisher.etcd.prefix: \"martlet\" is no prefix; begin with / and use 1 to "
                + "200 of a-z A-Z 0-9 . _ - /",
            "f:3:80: publisher.etcd.user: \"\" is no user of etcd; give 1 to 128 bytes without "
                + "control characters",
            "f:3:80: publisher.etcd.user: user is nothing without password-file; give both"),
        Case(
            file("\(least), password-file: p"),
            "f:3:72: publisher.etcd.password-file: password-file is nothing without user; give "
                + "both"),
        Case(
            file("endpoints: ['https://a:1'], state-directory: s, key: k"),
            "f:3:63: publisher.etcd.key: key is nothing without certificate; give both"),
        Case(
            file("endpoints: ['https://a:1'], state-directory: s, key: '', certificate: c"),
            "f:3:63: publisher.etcd.key: that is no directory; give a path of 1 to 1000 bytes"),
        Case(
            file("\(least), ca: c"),
            "f:3:61: publisher.etcd.ca: this is for an encrypted connection, and no endpoint "
                + "begins with https://; write the endpoints so, or remove it"),
    ])
    func aWrongSettingOfEtcdIsRefusedWithItsRemedy(wrong: Case) {
        #expect(ConfigurationSamples.refusal(of: wrong.text) == wrong.lines)
    }

    /// A file with these publishers, each on a line from the third on.
    private static func file(publishers lines: String...) -> String {
        let list = lines.map { "  - \($0)\n" }.joined()
        return "publisher: {log: etcd, etcd: {endpoints: ['http://a:1']}}\npublishers:\n" + list
            + "nodes: [{id: n1}]\n"
    }

    private static let first = "{id: p1, endpoint: 'tcp://127.0.0.1:1', state-directory: s1}"
    private static let second = "{id: p2, endpoint: 'tcp://127.0.0.1:3', state-directory: s2}"

    @Test(arguments: [
        Case(file(publishers: first, second)),
        Case(
            "nodes: [{id: n1}]\npublishers: [\(first), \(second)]\n",
            "f:2:13: publishers: several publishers share a log on etcd; give \"log: etcd\" and "
                + "\"etcd:\" under publisher"),
        Case(
            "nodes: [{id: n1}]\npublisher: {log: /log}\npublishers: [\(first), \(second)]\n",
            "f:3:13: publishers: several publishers share a log on etcd; give \"log: etcd\" and "
                + "\"etcd:\" under publisher"),
        Case(
            file(publishers: first),
            "f:3:3: publishers: list 2 to 7 publishers; found 1; a single one has its settings "
                + "under publisher"),
        Case(
            file(publishers: first, second).replacing(
                "log: etcd",
                with: "log: etcd, endpoint: 'tcp://a:1', live-endpoint: 'tcp://a:2', http: 9400"
            ).replacing("['http://a:1']", with: "['http://a:1'], state-directory: s"),
            "f:1:34: publisher.endpoint: each publisher has its own, and they stand under "
                + "publishers; remove the line",
            "f:1:62: publisher.live-endpoint: each publisher has its own, and they stand under "
                + "publishers; remove the line",
            "f:1:81: publisher.http: each publisher has its own, and they stand under publishers; "
                + "remove the line",
            "f:1:138: publisher.etcd.state-directory: each publisher has its own, and they stand "
                + "under publishers; remove the line"),
        Case(
            file(publishers: first, second, "p3"),
            "f:5:5: publishers[2]: here must stand settings, one \"name: value\" a line; found the "
                + "value \"p3\""),
        Case(
            file(publishers: first, "{state: s}"),
            "f:4:5: publishers[1].id: the publisher has no name; give one, for example \"id: p1\"",
            "f:4:5: publishers[1].endpoint: the publisher has no endpoint; give one, for example "
                + "\"endpoint: tcp://10.0.0.1:7400\"",
            "f:4:5: publishers[1].state-directory: the publisher has no place for how far it has "
                + "seen the log; give a directory of its own, for example \"state-directory: "
                + "/var/lib/martlet/publisher\"",
            "f:4:6: publishers[1].state: there is no such setting; known here: id, endpoint, "
                + "live-endpoint, http, state-directory"),
        Case(
            file(publishers: first, second.replacing("p2", with: "p1")),
            "f:4:10: publishers[1].id: the name p1 belongs to publishers[0] already; give another"),
        Case(
            file(publishers: first, second.replacing("p2", with: "p 2")),
            "f:4:10: publishers[1].id: \"p 2\" is not a name; use 1 to 64 of a-z A-Z 0-9 . _ -"),
        Case(
            file(publishers: first, second.replacing(":3", with: ":2")),
            "f:4:24: publishers[1].endpoint: tcp://127.0.0.1:2 is taken by "
                + "publishers[0].live-endpoint already; give each its own port"),
        Case(
            file(publishers: first, second.replacing(":3", with: ":65535")),
            "f:4:24: publishers[1].live-endpoint: there is no port after that of "
                + "tcp://127.0.0.1:65535; name the live endpoint"),
        Case(
            file(publishers: first, second.replacing("s2", with: "./s1/")),
            "f:4:62: publishers[1].state-directory: \"./s1/\" is taken by "
                + "publishers[0].state-directory already; give each publisher its own"),
        Case(
            file(publishers: first, second).replacing("{id: n1}", with: "{id: n1, port: 3}"),
            "f:5:24: nodes[0].port: tcp://127.0.0.1:3 is taken by publishers[1].endpoint already; "
                + "give each its own port"),
    ])
    func aWrongListOfPublishersIsRefusedWithItsRemedy(wrong: Case) {
        #expect(ConfigurationSamples.refusal(of: wrong.text) == wrong.lines)
    }

    @Test(arguments: ["", "[]", "~"])
    func anEmptyListOfPublishersIsRefused(list: String) {
        let text = "nodes: [{id: n1}]\npublishers: \(list)\n"
        let refusal = ConfigurationSamples.refusal(of: text)
        #expect(refusal.count == 1)
        #expect(refusal.first?.contains("list 2 to 7 publishers; found 0; a single one") == true)
    }

    @Test func sevenPublishersAreTheMost() throws {
        func file(_ count: Int) -> String {
            let list = (0..<count).map {
                "{id: p\($0), endpoint: 'tcp://10.0.0.\($0):7400', state-directory: /s}"
            }
            return "publisher: {log: etcd, etcd: {endpoints: ['http://a:1']}}\n"
                + "publishers: [\(list.joined(separator: ", "))]\nnodes: [{id: n1}]\n"
        }
        #expect(try ConfigurationSamples.parsed(file(7)).publishers.count == 7)
        #expect(
            ConfigurationSamples.refusal(of: file(8))
                == ["f:2:13: publishers: a cluster has at most 7 publishers; found 8"])
    }
}

/// Where etcd is and what is kept there, as people write it.
@Suite struct EtcdTextTests {
    @Test(arguments: [
        "http://127.0.0.1:2379", "https://etcd-1.example:1", "http://[::1]:65535",
        "http://localhost:2379",
    ])
    func anEndpointOfEtcdIsAsItIsWritten(text: String) throws {
        #expect(try EtcdText.endpoint(text) == text)
    }

    @Test(arguments: [
        ("127.0.0.1:2379", "is no endpoint of etcd"), ("tcp://a:1", "is no endpoint of etcd"),
        ("http://a", "has no port"), ("http://:1", "has no port"), ("http://a:0", "has no port"),
        ("http://a:65536", "has no port"), ("http://a:1/", "has no port"),
        ("http://a:1/v3", "has no port"), ("http://a:80x", "has no port"),
        ("http://a/b:1", "is not a host"), ("http://0.0.0.0:1", "is not a host"),
        ("http://*:1", "is not a host"), ("http://1.2.3:1", "is not a host"),
        ("http://a b:1", "is not a host"), ("http://ä:1", "is not a host"),
    ])
    func whatIsNoEndpointOfEtcdIsRefused(text: String, words: String) {
        let problem = #expect(throws: TextProblem.self) { try EtcdText.endpoint(text) }
        #expect(problem?.sentence.contains(words) == true, "\(problem?.sentence ?? "")")
    }

    @Test func aPasswordInAnEndpointIsNotRepeated() {
        let problem = #expect(throws: TextProblem.self) {
            try EtcdText.endpoint("http://root:secret@a:1")
        }
        #expect(problem?.sentence.contains("secret") == false)
        #expect(problem?.sentence.contains("password-file") == true)
    }

    @Test func severalEndpointsAreSeparatedByCommas() throws {
        #expect(
            try EtcdText.endpoints("http://a:1, http://b:2") == ["http://a:1", "http://b:2"])
        let many = (1...17).map { "http://a:\($0)" }.joined(separator: ",")
        for (text, words) in [
            ("http://a:1,", "is no endpoint"), ("", "is no endpoint"),
            ("http://a:1,http://a:1", "http://a:1 is given twice"),
            (many, "1 to 16 endpoints of etcd can be given; found 17"),
        ] {
            let problem = #expect(throws: TextProblem.self) { try EtcdText.endpoints(text) }
            #expect(problem?.sentence.contains(words) == true, "\(problem?.sentence ?? "")")
        }
    }

    @Test func aPrefixBeginsWithASlashAndHasNoSpecialCharacters() throws {
        let longest = "/" + String(repeating: "x", count: 199)
        for text in ["/", "/a", "/martlet/a.b_c-D9/", longest] {
            #expect(try EtcdText.prefix(text) == text)
        }
        for text in ["", "a", "/a b", "/ä", "/a\u{0}", longest + "x"] {
            #expect(throws: TextProblem.self) { try EtcdText.prefix(text) }
        }
    }
}
