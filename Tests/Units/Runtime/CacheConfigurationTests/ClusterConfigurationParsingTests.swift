import CacheConfiguration
import CacheModel
import Testing

/// Wrong files and the exact lines that refuse them.
@Suite struct ClusterConfigurationParsingTests {
    /// More shards than can own slots.
    private static let manyShards = (1...17).map { "  - {id: n\($0), shards: 64}\n" }.joined()

    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let lines: [String]
        var testDescription: String { lines.first ?? text }

        init(_ text: String, _ lines: String...) {
            self.text = text
            self.lines = lines
        }
    }

    @Test(arguments: [
        Case(
            "",
            "f:1:1: the file says nothing; it must list at least one node"),
        Case(
            "# only words\n",
            "f:1:1: the file says nothing; it must list at least one node"),
        Case(
            "- a\n",
            "f:1:1: here must stand settings, one \"name: value\" a line; found a list"),
        Case(
            "nodes:\n\t- id: n1\n",
            "f:2:1: this is not YAML: found character that cannot start any token, while "
                + "scanning for the next token from line 2; indent with spaces, not with tabs"),
        Case(
            "nodes: [\n",
            "f:2:1: this is not YAML: did not find expected node content, while parsing "
                + "a flow node from line 2; look at the indentation, colons and quotation "
                + "marks here and just above"),
        Case(
            "nodes:\n  - id: n1\n    port: 7402\n   shards: 2\n",
            "f:4:4: this is not YAML: did not find expected '-' indicator, while parsing "
                + "a block collection from line 2; look at the indentation, colons and "
                + "quotation marks here and just above"),
        Case(
            "nodes:\n  - id: &a n1\n  - id: *a\n",
            "f:2:9: anchors (&) and aliases (*) are not taken here; write the value out"),
        Case(
            "nodes: [{id: n1}]\n---\nnodes: []\n",
            "f:2:1: a second document begins here; write one and no more"),
        Case(
            "nodes: [{id: n1}]\ntopology: sharded\ntopology: replicated\n",
            "f:2:1: topology: it is given more than once, first here; remove the others"),
        Case(
            "nodes: [{id: n1}]\n\u{7}: 1\n",
            "f:2:1: control characters are not allowed (7); remove the character"),
        Case(
            "nodes: [{id: n1}]\n? [a]\n: 1\n",
            "f:2:3: a setting's name must be a word; found a list"),
        Case(
            "nodes: [{id: n1}]\nnamespaces:\n  1: {ttl: 1s}\n  \"1\": {ttl: 2s}\n",
            "f:4:3: namespaces.1: it is given twice; remove one"),
    ])
    func aFileThatIsNoConfigurationIsRefusedWithThePosition(wrong: Case) {
        #expect(ConfigurationSamples.refusal(of: wrong.text) == wrong.lines)
    }

    @Test(arguments: [
        Case(
            "node: [{id: n1}]\n",
            "f:1:1: node: there is no such setting; did you mean nodes?",
            "f:1:1: nodes: there is no node; list at least one, for example \"- id: n1\""),
        Case(
            "nodes: [{id: n1}]\nversion: 2\n",
            "f:2:10: version: the format \"2\" is not known to this program; write 1, or "
                + "use a later program"),
        Case(
            "nodes: [{id: n1}]\nversion:\n",
            "f:2:9: version: here must stand the version of the file's format, 1; found "
                + "nothing; give one, or remove the line"),
        Case(
            "nodes: [{id: n1}]\ntopology: shraded\n",
            "f:2:11: topology: \"shraded\" is not one of sharded, slots, replicated; did you "
                + "mean sharded?"),
        Case(
            "nodes: [{id: n1}]\ntopology: [sharded]\n",
            "f:2:11: topology: here must stand one of sharded, slots, replicated; found a list; "
                + "give one"),
        Case(
            "nodes: [{id: n1}]\npublisher: {failover-after: 5s}\n",
            "f:2:29: publisher.failover-after: keys go from one node to others only with "
                + "\"topology: slots\"; give that, or remove the line"),
        Case(
            "topology: slots\nnodes:\n"
                + ClusterConfigurationParsingTests.manyShards,
            "f:3:3: nodes: all nodes together have 1088 shards, and topology: slots is for at "
                + "most 1024: give fewer, or topology: sharded"),
        Case(
            "membership: open\nnodes: [{id: n1}]\n",
            "f:1:13: membership: nodes can join only where the log assigns the keys to them: give "
                + "\"topology: slots\" too, or list the nodes"),
        Case(
            "topology: slots\nmembership: listed\nnodes: []\n",
            "f:3:8: nodes: there is no node; list at least one, for example \"- id: n1\""),
        Case(
            "nodes: [{id: n1}]\npublisher: 7400\n",
            "f:2:12: publisher: here must stand settings, one \"name: value\" a line; "
                + "found the value \"7400\""),
        Case(
            "nodes: [{id: n1}]\npublisher: {end-point: tcp://a:1}\n",
            "f:2:13: publisher.end-point: there is no such setting; did you mean endpoint?"),
        Case(
            "nodes: [{id: n1}]\npublisher: {endpoint: tcp://*:7400}\n",
            "f:2:23: publisher.endpoint: nobody can connect to \"tcp://*:7400\"; write "
                + "the address that others reach it by"),
        Case(
            "nodes: [{id: n1}]\npublisher: {endpoint: tcp://a:65535}\n",
            "f:2:23: publisher.live-endpoint: there is no port after that of "
                + "tcp://a:65535; name the live endpoint"),
        Case(
            "nodes: [{id: n1}]\npublisher: {endpoint: tcp://a:1, live-endpoint: tcp://a:1}\n",
            "f:2:49: publisher.live-endpoint: tcp://a:1 is taken by publisher.endpoint "
                + "already; give each its own port"),
        Case(
            "nodes: [{id: n1}]\npublisher: {lease: 3}\n",
            "f:2:20: publisher.lease: \"3\" has no unit; write 3s if seconds are meant"),
        Case(
            "nodes: [{id: n1}]\npublisher: {lease: 1s, heartbeat: 1s}\n",
            "f:2:35: publisher.heartbeat: a heartbeat of 1s does not keep a lease of 1s "
                + "alive; make the heartbeat shorter"),
        Case(
            "nodes: [{id: n1}]\npublisher:\n  lease: 200ms\n",
            "f:3:10: publisher.lease: a heartbeat of 500ms does not keep a lease of "
                + "200ms alive; make the heartbeat shorter"),
        Case(
            "nodes: [{id: n1}]\npublisher: {retention: {records: 0, bytes: 1B}}\n",
            "f:2:34: publisher.retention.records: 0 is too small; give 1 to 1000000000",
            "f:2:44: publisher.retention.bytes: \"1B\" is too small; give 64KiB to 1TiB"),
        Case(
            "nodes: [{id: n1}]\npublisher: {log: \"\", log-sync: alway}\n",
            "f:2:18: publisher.log: that is no directory; give a path of 1 to 1000 bytes",
            "f:2:32: publisher.log-sync: \"alway\" is not one of always, interval, none; did you "
                + "mean always?"),
    ])
    func aWrongSettingOfTheClusterIsRefusedWithItsRemedy(wrong: Case) {
        #expect(ConfigurationSamples.refusal(of: wrong.text) == wrong.lines)
    }

    @Test(arguments: [
        Case(
            "topology: sharded\n",
            "f:1:1: nodes: there is no node; list at least one, for example \"- id: n1\""),
        Case(
            "nodes:\n",
            "f:1:7: nodes: there is no node; list at least one, for example \"- id: n1\""),
        Case(
            "nodes: []\n",
            "f:1:8: nodes: there is no node; list at least one, for example \"- id: n1\""),
        Case(
            "nodes: 3\n",
            "f:1:8: nodes: here must stand a list, each node beginning with \"- id:\"; "
                + "found the value \"3\""),
        Case(
            "nodes:\n  - n1\n",
            "f:2:5: nodes[0]: here must stand settings, one \"name: value\" a line; "
                + "found the value \"n1\""),
        Case(
            "nodes:\n  - shards: 2\n",
            "f:2:5: nodes[0].id: the node has no name; give one, for example \"id: n1\""),
        Case(
            "nodes:\n  - id: n 1\n",
            "f:2:9: nodes[0].id: \"n 1\" is not a name; use 1 to 64 of a-z A-Z 0-9 . _ -"),
        Case(
            "nodes:\n  - id: n1\n  - id: n2\n  - id: n1\n",
            "f:4:9: nodes[2].id: the name n1 belongs to nodes[0] already; give another"),
        Case(
            "nodes: [{id: n1}, {id: n2, shards: 65}, {id: n3, shards: two}]\n",
            "f:1:36: nodes[1].shards: 65 is too large; give 1 to 64",
            "f:1:58: nodes[2].shards: \"two\" is not a whole number; give 1 to 64"),
        Case(
            "nodes: [{id: n1, shards: 0}, {id: n2, shards: -1}]\n",
            "f:1:26: nodes[0].shards: 0 is too small; give 1 to 64",
            "f:1:47: nodes[1].shards: \"-1\" is not a whole number; give 1 to 64"),
        Case(
            "nodes: [{id: n1, io-threads: 0}, {id: n2, io-threads: 17}]\n",
            "f:1:30: nodes[0].io-threads: 0 is too small; give 1 to 16",
            "f:1:55: nodes[1].io-threads: 17 is too large; give 1 to 16"),
        Case(
            "nodes: [{id: a, weight: 0}, {id: b, weight: -1}, {id: c, weight: 1e3}]\n",
            "f:1:25: nodes[0].weight: \"0\" gives the node no keys; give a weight above "
                + "0, or remove the node",
            "f:1:45: nodes[1].weight: \"-1\" gives the node no keys; give a weight above "
                + "0, or remove the node",
            "f:1:66: nodes[2].weight: \"1e3\" is not a weight; give a number such as 1 or 0.5"),
        Case(
            "nodes: [{id: a, weight: 0.0001}, {id: b, weight: 1.2345}]\n",
            "f:1:25: nodes[0].weight: \"0.0001\" is out of range; give 0.001 to 1000000",
            "f:1:50: nodes[1].weight: \"1.2345\" has more than three digits after the "
                + "point; write 1.235"),
        Case(
            "nodes: [{id: a, weight: nan}, {id: b, weight: 2000000}]\n",
            "f:1:25: nodes[0].weight: \"nan\" is not a weight; give a number such as 1 or 0.5",
            "f:1:47: nodes[1].weight: \"2000000\" is out of range; give 0.001 to 1000000"),
        Case(
            "nodes: [{id: n1, memory: 1MiB, shards: 2}]\n",
            "f:1:26: nodes[0].memory: 1MiB is too little for 2 shards; give at least 2MiB"),
        Case(
            "nodes: [{id: n1, memory: 64 MB}]\n",
            "f:1:26: nodes[0].memory: \"64 MB\" is not a size; write a whole number and "
                + "its unit, such as 100B, 64KiB, 256MiB or 1GiB"),
        Case(
            "nodes: [{id: n1, port: 7401}]\n",
            "f:1:24: nodes[0].port: tcp://127.0.0.1:7401 is taken by "
                + "publisher.live-endpoint already; give each its own port"),
        Case(
            "nodes: [{id: a, port: 7410, shards: 4}, {id: b, port: 7413}]\n",
            "f:1:55: nodes[1].port: tcp://127.0.0.1:7413 is taken by nodes[0].port "
                + "already; give each its own port"),
        Case(
            "nodes: [{id: a, port: 65535, shards: 2}, {id: b, port: 0}]\n",
            "f:1:23: nodes[0].port: there are no 2 ports from 65535 on; give a smaller one",
            "f:1:56: nodes[1].port: 0 is too small; give 1 to 65535"),
        Case(
            "nodes: [{id: a, port: 7410, endpoints: [tcp://a:1]}]\n",
            "f:1:23: nodes[0].port: endpoints are given too; remove one of the two"),
        Case(
            "nodes: [{id: a, endpoints: tcp://a:1}]\n",
            "f:1:28: nodes[0].endpoints: here must stand a list, one endpoint for each "
                + "shard; found the value \"tcp://a:1\""),
        Case(
            "nodes: [{id: a, shards: 2, endpoints: [tcp://a:1]}]\n",
            "f:1:39: nodes[0].endpoints: each shard has one endpoint; found 1 for shards: 2"),
        Case(
            "nodes: [{id: a, shards: 3, endpoints: [tcp://a:1, [], tcp://a:1]}]\n",
            "f:1:51: nodes[0].endpoints[1]: here must stand an endpoint such as "
                + "tcp://127.0.0.1:7402; found a list; give one",
            "f:1:55: nodes[0].endpoints[2]: tcp://a:1 is taken by nodes[0].endpoints[0] "
                + "already; give each its own port"),
    ])
    func aWrongNodeIsRefusedWithItsRemedy(wrong: Case) {
        #expect(ConfigurationSamples.refusal(of: wrong.text) == wrong.lines)
    }

    @Test(arguments: [
        Case(
            "nodes: [{id: n1}]\ndefaults: {ttl: 24}\n",
            "f:2:17: defaults.ttl: \"24\" has no unit; write 24s if seconds are meant, or none"),
        Case(
            "nodes: [{id: n1}]\ndefaults: {ttl: 2h, ttl-max: 1h}\n",
            "f:2:17: defaults.ttl: 2h is longer than ttl-max, 1h; lower it or raise ttl-max"),
        Case(
            "nodes: [{id: n1}]\ndefaults: {ttl-max: 1h}\nnamespaces: {a: {ttl: 2h}}\n",
            "f:3:23: namespaces.a.ttl: 2h is longer than ttl-max, 1h; lower it or raise ttl-max"),
        Case(
            "nodes: [{id: n1}]\ndefaults: {ttl: 0s, ttl-max: forever}\n",
            "f:2:17: defaults.ttl: \"0s\" is too short; give 1ms to 36500d, or none",
            "f:2:30: defaults.ttl-max: \"forever\" is not a length of time; write a "
                + "whole number and its unit, such as 250ms, 5s, 10m, 24h or 7d, or none"),
        Case(
            "nodes: [{id: n1}]\ndefaults: {value-max: 65MiB}\n",
            "f:2:23: defaults.value-max: \"65MiB\" is too large; give 1B to 64MiB"),
        Case(
            "nodes: [{id: n1}]\ndefaults: {suspect: server}\n",
            "f:2:21: defaults.suspect: \"server\" is not one of serve, refuse, revalidate, "
                + "serve-then-revalidate; did you mean serve?"),
        Case(
            "nodes: [{id: n1}]\ndefaults: {suspect-window: 8d}\n",
            "f:2:28: defaults.suspect-window: \"8d\" is too long; give 0s to 7d"),
        Case(
            "nodes: [{id: n1}]\ndefaults: {blind-set: holdoff}\n",
            "f:2:23: defaults.blind-set: \"holdoff\" is not one of allow, hold-off, "
                + "reject; did you mean hold-off?"),
        Case(
            "nodes: [{id: n1}]\ndefaults: {hold-off: 11m, load-lease: 99ms, stale-window: 8d}\n",
            "f:2:22: defaults.hold-off: \"11m\" is too long; give 0s to 10m",
            "f:2:39: defaults.load-lease: \"99ms\" is too short; give 100ms to 1m",
            "f:2:59: defaults.stale-window: \"8d\" is too long; give 0s to 7d"),
        Case(
            "nodes: [{id: n1}]\nnamespaces:\n  a b: {}\n  c: {stale_window: 1s}\n  d: []\n",
            "f:3:3: namespaces.a b: this is not a namespace's name; use 1 to 64 of a-z "
                + "A-Z 0-9 . _ -",
            "f:4:7: namespaces.c.stale_window: there is no such setting; did you mean "
                + "stale-window?",
            "f:5:6: namespaces.d: here must stand settings, one \"name: value\" a line; "
                + "found a list"),
        Case(
            "nodes: [{id: n1}]\nnamespaces: {a: {timeToLive: 1s}}\n",
            "f:2:18: namespaces.a.timeToLive: there is no such setting; known here: ttl, "
                + "ttl-max, ttl-jitter, value-max, suspect, suspect-window, blind-set, hold-off, "
                + "load-lease, stale-window, replica-lag, memory-max, memory-guaranteed, "
                + "entries-max, when-full, disk-max, origin"),
        Case(
            "nodes: [{id: n1, eviction: lfu}]\ndefaults: {ttl-jitter: 51%, memory-max: 10%}\n",
            "f:1:28: nodes[0].eviction: \"lfu\" is not one of adaptive, s3fifo, wtinylfu, gdsf, "
                + "sieve, clock, lru, fifo; did you mean lru?",
            "f:2:24: defaults.ttl-jitter: \"51%\" is out of range; give 0% to 50%",
            "f:2:41: defaults.memory-max: a share of the memory is one namespace's own; give "
                + "it under namespaces, to those that need it"),
        Case(
            "nodes: [{id: n1}]\ndefaults: {disk-max: 10%}\nnamespaces: {a: {disk-max: 101%}}\n",
            "f:2:22: defaults.disk-max: a share of the disk is one namespace's own; give "
                + "it under namespaces, to those that need it",
            "f:3:28: namespaces.a.disk-max: \"101%\" is out of range; give 0% to 100%"),
        Case(
            "nodes: [{id: n1}]\nnamespaces: {a: {ttl-jitter: 0.1, memory-max: 0%}}\n",
            "f:2:30: namespaces.a.ttl-jitter: \"0.1\" is not a share; give a whole number and "
                + "%, such as 10%",
            "f:2:47: namespaces.a.memory-max: \"0%\" is out of range; give 1% to 100%"),
        Case(
            "nodes: [{id: n1}]\nnamespaces:\n  a: {memory-max: 10%, memory-guaranteed: 11%}\n"
                + "  b: {memory-guaranteed: 80%}\n",
            "f:3:3: namespaces: memory-guaranteed comes to 91% in all; leave it at 90% or less",
            "f:3:43: namespaces.a.memory-guaranteed: 11% is more than memory-max, 10%; lower "
                + "it or raise memory-max"),
    ])
    func aWrongPolicyIsRefusedWithItsRemedy(wrong: Case) {
        #expect(ConfigurationSamples.refusal(of: wrong.text) == wrong.lines)
    }

    @Test func sixtyFourNamespacesMayHaveAShareOfTheDisk() {
        func text(_ count: Int) -> String {
            let lines = (0..<count).map { "  n\($0): {disk-max: 10%}\n" }.joined()
            return "nodes: [{id: n1}]\nnamespaces:\n" + lines + "  all: {disk-max: 100%}\n"
        }
        #expect(ConfigurationSamples.refusal(of: text(64)).isEmpty)
        #expect(
            ConfigurationSamples.refusal(of: text(65)) == [
                "f:3:3: namespaces: 65 have a disk-max below 100%; give one to at most 64"
            ])
    }

    @Test func aTabIsNamedAlsoWhereLinesEndAsOnWindows() {
        let line = ConfigurationSamples.refusal(of: "nodes:\r\n\t- id: n1\r\n").first ?? ""
        #expect(line.hasPrefix("f:2:1: ") && line.hasSuffix("indent with spaces, not with tabs"))
    }

    @Test(arguments: [
        ("&a x: 1", 1), ("x: &a 1", 4), ("x: [*a]", 5), ("x: {*a : 1}", 5), ("x: [1,*a]", 7),
        ("x: {\"k\":*a}", 9), ("x:\t*a", 4), ("\"#\": *a", 6),
    ])
    func anchorsAndAliasesAreFoundWhereverAValueMayBegin(text: String, column: Int) {
        let line =
            "f:1:\(column): anchors (&) and aliases (*) are not taken here; "
            + "write the value out"
        #expect(ConfigurationSamples.refusal(of: text) == [line])
    }

    @Test func anAmpersandOrAsteriskElsewhereIsNoReference() {
        let comment = "# all & sundry *\nnodes: [{id: n1}] # & *\n"
        #expect(ConfigurationSamples.refusal(of: comment).isEmpty)
        let inside = "nodes: [{id: n1}]\npublisher: {endpoint: ipc:///run/a&*b}\n"
        #expect(ConfigurationSamples.refusal(of: inside).isEmpty)
    }

    @Test func allProblemsAreToldAtOnceInTheOrderOfTheFile() {
        let text = "namespaces: {a: {ttl: x}}\nnodes: [{id: n1, shards: x}]\ntopology: x\n"
        let lines = ConfigurationSamples.refusal(of: text)
        #expect(lines.map { $0.split(separator: ":")[1] } == ["1", "2", "3"])
    }

    @Test func theListOfProblemsIsBounded() {
        let text = "nodes:\n" + String(repeating: "  - id: '!'\n", count: 150)
        do throws(ConfigurationErrors) {
            _ = try ClusterConfiguration.parse(text, fileName: "f")
            Issue.record("150 wrong names were taken")
        } catch {
            #expect(error.problems.count == 100 && error.omittedCount == 50)
            #expect(error.description.hasSuffix("\n… and 50 more"))
        }
    }

    @Test func theCountsOfNodesAndNamespacesAreBounded() throws {
        func nodes(_ count: Int) -> String {
            "nodes:\n" + (0..<count).map { "  - id: n\($0)\n" }.joined()
        }
        func namespaces(_ count: Int) -> String {
            nodes(1) + "namespaces:\n" + (0..<count).map { "  s\($0): {}\n" }.joined()
        }
        #expect(try ConfigurationSamples.parsed(nodes(1_000)).nodes.count == 1_000)
        #expect(
            ConfigurationSamples.refusal(of: nodes(1_001))
                == ["f:2:3: nodes: a cluster has at most 1000 nodes; found 1001"])
        #expect(try ConfigurationSamples.parsed(namespaces(1_000)).namespaces.count == 1_000)
        #expect(
            ConfigurationSamples.refusal(of: namespaces(1_001)) == [
                "f:4:3: namespaces: at most 1000 can be listed; found 1001; "
                    + "let the others follow the defaults"
            ])
    }

    @Test func whatCouldNotBeServedInOneMessageIsRefused() {
        let text = "nodes:\n" + (0..<1_000).map { "  - {id: n\($0), shards: 64}\n" }.joined()
        let lines = ConfigurationSamples.refusal(of: text)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("f:2:3: nodes: all endpoints together have ") == true)
    }

    @Test func anOversizedOrNonUTF8FileIsRefusedBeforeParsing() {
        func refusal(_ bytes: [UInt8]) -> [String] {
            do throws(ConfigurationErrors) {
                _ = try ClusterConfiguration.parse(bytes, fileName: "f")
                return []
            } catch {
                return error.problems.map(\.description)
            }
        }
        let least = Array(ConfigurationSamples.least.utf8)
        let room = [UInt8](repeating: UInt8(ascii: "#"), count: (1 << 20) - least.count)
        #expect(refusal(least + room).isEmpty)
        #expect(
            refusal(least + room + [0x23])
                == ["f:1:1: the file has more than 1MiB; make it shorter"])
        #expect(
            refusal(least + [0x23, 0xC3, 0xA4, 0x20, 0xFF])
                == ["f:3:4: this is not UTF-8; save the file in UTF-8"])
        #expect(refusal(Array("# ä\r\n".utf8) + least).isEmpty)
    }

    @Test func aLongOrUnprintableWordIsNotRepeatedWhole() {
        let text = "nodes: [{id: n1}]\n\"\\e[31m\(String(repeating: "x", count: 500))\": 1\n"
        let line = ConfigurationSamples.refusal(of: text).first ?? ""
        #expect(line.hasPrefix("f:2:1: \u{FFFD}[31mxxx"))
        #expect(line.utf8.count < 250)
    }
}
