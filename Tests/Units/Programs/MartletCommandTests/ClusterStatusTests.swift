import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct ClusterStatusTests {
    private func status(
        isPublisherUp: Bool = true, isLastUp: Bool = true, newerRecords: UInt64 = 0,
        disk: [String: UInt64] = [:], publisher more: [String: UInt64] = [:]
    ) throws -> ClusterStatus {
        let nodes = try ["n1", "n2"].map(Sample.node)
        let topology = ClusterTopology(
            version: 3, kind: .sharded, controlEndpoint: "tcp://127.0.0.1:7400",
            liveEndpoint: "tcp://127.0.0.1:7401",
            nodes: nodes.map {
                ClusterTopology.Node(id: $0, state: .live, weight: 1, endpoints: ["e-\($0)"])
            })
        let publisher = StatusSnapshot(
            role: .publisher, state: .live, name: "publisher", position: Sample.position(17),
            digest: LogDigest(1), figures: ["messages": 40].merging(more) { $1 }, nodes: [])
        var figures: [String: UInt64] = [
            "lease_left_ms": 2_900, "entries": 1_000, "memory_bytes": 1 << 20,
            "memory_bytes_max": 256 << 20, "hits": 3, "stale_hits": 0, "misses": 1,
            "messages": 12,
        ]
        figures.merge(disk) { $1 }
        if newerRecords > 0 { figures["newer_records"] = newerRecords }
        let down = CacheError(.timedOut, "no answer came")
        let live = figures
        func shard(_ name: String, _ state: NodeState, _ sequence: UInt64) -> StatusSnapshot {
            StatusSnapshot(
                role: .shard, state: state, name: name, position: Sample.position(sequence),
                digest: LogDigest(1), figures: state == .live ? live : [:], nodes: [])
        }
        return ClusterStatus(
            ClusterSnapshot(
                topology: topology,
                publisher: isPublisherUp ? .success(publisher) : .failure(down),
                nodes: [
                    nodes[0]: .success([shard("n1", .live, 17)]),
                    nodes[1]: isLastUp ? .success([shard("n2", .suspect, 15)]) : .failure(down),
                ]))
    }

    @Test func everybodyHasALine() throws {
        let output = try status().output(.plain)
        #expect(
            output.text == """
                node       state    applied  lag  lease  entries  hits       memory
                publisher  LIVE        1:17    –      –        –     –            –
                n1         LIVE        1:17    0   2.9s     1000   75%  1MiB/256MiB
                n2         SUSPECT     1:15    2      –        –     –            –
                n2 is SUSPECT: its lease is over and was not renewed

                """)
        #expect(output.status == .done)
        #expect(output.complaints.isEmpty)
    }

    // MARK: Several publishers

    /// A leader, a standby that lags, and one that does not answer.
    private func publishers(
        _ condition: EtcdCondition = .healthy, standbyReachesEtcd: Bool = true, isLed: Bool = true
    ) -> ClusterPublishers {
        func told(_ sequence: UInt64, leads: Bool, _ refuses: Bool) -> StatusSnapshot {
            StatusSnapshot(
                role: .publisher, state: .live, name: "p", position: Sample.position(sequence),
                digest: LogDigest(1),
                figures: [
                    "leading": leads ? 1 : 0, "term": 0x5f3a, "term_ms": 192_000,
                    "etcd_refusing": refuses ? 1 : 0, "etcd_member_condition:http://e1:2379": 0,
                    "etcd_member_leads:http://e1:2379": 1,
                    "etcd_member_bytes:http://e1:2379": 20_480,
                    "etcd_member_condition:http://e2:2379": UInt64(condition.rawValue),
                ], nodes: [])
        }
        return ClusterPublishers([
            (.init(name: "p1", endpoint: "tcp://a:7400"), .success(told(17, leads: isLed, false))),
            (
                .init(name: "p2", endpoint: "tcp://b:7400?key=00"),
                .success(told(12, leads: false, !standbyReachesEtcd))
            ),
            (
                .init(name: "p3", endpoint: "tcp://c:7400"),
                .failure(CacheError(.timedOut, "no answer came"))
            ),
        ])
    }

    @Test func severalPublishersAndEtcdAreShown() throws {
        var status = try status()
        let before = status.output(.plain).text
        status.publishers = publishers(.silent)
        let output = status.output(.plain)
        #expect(
            output.text.contains(
                """

                publisher  role     state        applied  lag  etcd     endpoint
                p1         leader   LIVE            1:17    –  answers  tcp://a:7400
                p2         standby  LIVE            1:12    5  answers  tcp://b:7400
                p3         standby  UNREACHABLE        –    –  –        tcp://c:7400
                p1 leads for 3m12s, in term 5f3a

                etcd            state        role    database
                http://e1:2379  healthy      leader     20KiB
                http://e2:2379  UNREACHABLE  –              –

                """), "\(output.text)")
        #expect(output.status == .incomplete)
        #expect(output.complaints.count == 1)
        #expect(output.complaints[0].hasPrefix("publisher p3 (tcp://c:7400) does not answer: "))
        status.publishers = nil
        #expect(status.output(.plain).text == before)
        #expect(!status.output(.json).text.contains("\"leadership\""))
    }

    @Test func troubleOfPublishersAndEtcdIsSaid() throws {
        var status = try status()
        status.publishers = publishers(.full, standbyReachesEtcd: false, isLed: false)
        let lines = status.output(.plain).text.split(separator: "\n")
        #expect(lines.contains("no publisher leads: invalidations wait until one does"))
        #expect(lines.contains { $0.hasPrefix("p2 ") && $0.contains("FAILS") })
        #expect(lines.contains { $0.hasPrefix("p2: etcd does not answer it, or refuses: ") })
        #expect(lines.contains { $0.hasPrefix("http://e2:2379  NOSPACE") })
        #expect(lines.contains { $0.hasPrefix("etcd http://e2:2379: its space is used up ") })
    }

    @Test func severalPublishersAreMembersOfTheJSON() throws {
        var status = try status()
        status.publishers = publishers()
        let text = status.output(.json).text
        #expect(
            text.contains(
                """
                "leadership":{"publisher":"p1","term":"5f3a","term_ms":192000},"publishers":[\
                {"publisher":"p1","endpoint":"tcp://a:7400","leads":true,"reachable":true,\
                "state":"LIVE","applied":"1:17","lag":null,"reaches_etcd":true},\
                {"publisher":"p2","endpoint":"tcp://b:7400","leads":false,"reachable":true,\
                "state":"LIVE","applied":"1:12","lag":5,"reaches_etcd":true},\
                {"publisher":"p3","endpoint":"tcp://c:7400","leads":false,"reachable":false,\
                "state":null,"applied":null,"lag":null,"reaches_etcd":null,\
                "why":"no answer came"}],"etcd":[\
                {"endpoint":"http://e1:2379","condition":"healthy","leads":true,\
                "database_bytes":20480},\
                {"endpoint":"http://e2:2379","condition":"healthy","leads":false,\
                "database_bytes":0}]}
                """), "\(text)")
    }

    /// What a rolling restart waits for.
    @Test func aNodeInWarmUpReportsItsProgress() throws {
        let status = try status(
            disk: ["warm_up_phase": 2, "warm_up_done": 120, "warm_up_keys": 300])
        let line = "n1 is being filled: 120 of 300 keys of another node are here"
        #expect(status.output(.plain).text.split(separator: "\n").contains { $0 == line })
        #expect(status.output(.json).text.contains("\"filling\":true"))
        var waited = status.output(.plain)
        status.complainOfUnfilled(after: .seconds(600), in: &waited)
        #expect(waited.status == .incomplete && waited.complaints.count == 2)
        let done = try self.status(disk: ["warm_up_phase": 3])
        #expect(done.nodes[0].isFilled && !done.nodes[1].isFilled, "n2 is suspect")
        for phase in [1, 5] as [UInt64] {
            #expect(try !self.status(disk: ["warm_up_phase": phase]).nodes[0].isFilled)
        }
    }

    /// A node that was restarted after a drain gets its keys back some seconds later.
    @Test func aNodeThatIsToGetSlotsIsWaitedFor() throws {
        func isFilled(_ slots: [String: UInt64]) throws -> Bool {
            let status = try self.status(publisher: slots)
            return status.isFilled(status.nodes[0])
        }
        #expect(try isFilled(["slots:n1": 8_192, "slots:n2": 8_192, "slots_waiting": 0]))
        #expect(try isFilled([:]), "the log assigns no slots")
        #expect(try !isFilled(["slots:n1": 0, "slots:n2": 16_384, "slots_waiting": 0]))
        #expect(try !isFilled(["slots:n2": 16_384, "slots_waiting": 0]), "it has no row yet")
        let status = try self.status(publisher: ["slots:n2": 16_384, "slots_waiting": 0])
        #expect(status.output(.plain).text.contains("n1 owns no slots yet: it gets its share"))
        var light = status
        light.topology.nodes[0].weight = 0.000_01
        #expect(light.isFilled(light.nodes[0]), "its share is less than a slot")
    }

    @Test func aPublisherThatDoesNotAnswerIsWaitedFor() throws {
        for isUp in [true, false] {
            var status = try status(isPublisherUp: isUp)
            status.nodes.removeLast()
            #expect(status.isAtRest == isUp)
        }
    }

    @Test func slotsOnTheMoveAreWaitedFor() throws {
        let figures: [String: UInt64] = ["slots:n1": 8_192, "slots:n2": 8_192]
        for waiting in [0, 7] as [UInt64] {
            var status = try status(
                publisher: figures.merging(["slots_waiting": waiting]) { $1 })
            status.nodes.removeLast()
            #expect(status.isAtRest == (waiting == 0))
            var waited = status.output(.plain)
            status.complainOfUnfilled(after: .seconds(600), in: &waited)
            #expect((waited.status == .incomplete) == (waiting > 0))
        }
    }

    @Test func aWarmUpThatFoundNoReplicaIsNotReportedAsFilled() throws {
        let empty = try status(disk: ["warm_up_phase": 3, "warm_up_replicas": 0])
        #expect(!empty.nodes[0].isFilled && empty.nodes[0].filling == nil)
        var waited = empty.output(.plain)
        empty.complainOfUnfilled(after: .seconds(600), in: &waited)
        #expect(waited.status == .incomplete)
        #expect(
            waited.complaints.contains(
                "node n1 is not filled: no replica gave all that it holds"))
        #expect(try status(disk: ["warm_up_phase": 3, "warm_up_replicas": 1]).nodes[0].isFilled)
    }

    @Test func whatARoleCannotDoIsSaidThoughItIsLive() throws {
        let status = try status(
            disk: ["queue_unusable": 1, "origin_off:news": 1],
            publisher: ["log_refusing": 1, "config_refused": 2, "duplicate_node:n2": 1])
        let lines = status.output(.plain).text.split(separator: "\n")
        for start in [
            "publisher: it refuses every invalidation: ",
            "publisher: its configuration file has changes that cannot be taken over ",
            "publisher: two processes run as node n2: ", "n1: namespace news has no origin: ",
            "n1: its write queue accepts nothing: ",
        ] {
            #expect(lines.count { $0.hasPrefix(start) } == 1, "\(start): \(lines)")
        }
        let json = status.output(.json).text
        #expect(json.contains("\"troubles\":[\"it refuses every invalidation"))
        // 0 is healthy.
        let healthy = try self.status(
            disk: ["queue_unusable": 0], publisher: ["log_refusing": 0, "config_refused": 0])
        #expect(healthy.output(.plain).text == (try self.status().output(.plain).text))
    }

    @Test func aDiskTierWithLessSpaceThanConfiguredIsSaid() throws {
        let figures: [String: UInt64] = ["disk_open": 1, "disk_bytes_max": 64 << 20]
        let small = figures.merging(["disk_bytes": 16 << 20]) { $1 }
        let text = try status(disk: small).output(.plain).text
        #expect(
            text.contains(
                "\nn1: its disk tier uses 16MiB of 64MiB: its file system is or was short of "),
            "\(text)")
        // Whole, and a node of a release that does not say.
        for others in [figures, figures.merging(["disk_bytes": 64 << 20]) { $1 }] {
            #expect(try !status(disk: others).output(.plain).text.contains("n1: its disk"))
        }
    }

    @Test func diskTiersHaveAColumnAndAMissingTierIsReported() throws {
        let open = try status(disk: ["disk_open": 1, "disk_entries": 52_000]).output(.plain)
        #expect(
            open.text.hasPrefix(
                """
                node       state    applied  lag  lease  entries  hits       memory  on disk
                publisher  LIVE        1:17    –      –        –     –            –        –
                n1         LIVE        1:17    0   2.9s     1000   75%  1MiB/256MiB    52000
                n2         SUSPECT     1:15    2      –        –     –            –        –

                """))
        #expect(!open.text.contains("disk tier"))
        let opening = try status(disk: ["disk_open": 0, "disk_segments_to_read": 12])
            .output(.plain)
        #expect(
            opening.text.hasSuffix(
                """

                n1 is reading its disk tier and answers nothing before it has: 12 segments are left

                """))
        let missing = try status(disk: ["disk_open": 0]).output(.plain)
        #expect(
            missing.text.hasSuffix(
                """

                n1 has no disk tier: it cannot use its file and answers from memory; the node's \
                log says why

                """))
    }

    @Test func aNodeThatCannotReadTheLogIsToBeUpgraded() throws {
        let output = try status(newerRecords: 3).output(.plain)
        #expect(
            output.complaints == [
                "node n1 cannot read records of the log that a later release wrote, and withholds "
                    + "everything filled before each; upgrade it"
            ])
        #expect(output.status == .done)
    }

    @Test func anUnreachableNodeOrPublisherMakesTheStatusIncomplete() throws {
        let output = try status(isLastUp: false).output(.plain)
        #expect(output.text.contains("\nn2         UNREACHABLE        –    –      –  "))
        #expect(
            output.complaints == [
                "node n2 (e-n2) does not answer: no answer came; --timeout gives it longer"
            ])
        #expect(output.status == .incomplete)
        let headless = try status(isPublisherUp: false).output(.plain)
        #expect(headless.text.contains("\npublisher  UNREACHABLE        –    –"))
        #expect(headless.text.contains("\nn1         LIVE            1:17    –   2.9s"))
        #expect(headless.status == .incomplete)
    }

    @Test func aDeniedStatusIsNotReportedAsUnreachable() throws {
        var denied = try status()
        let denial = CacheError(.unauthorised, "you may not; it takes the role metrics")
        denied.publisher = .failure(denial)
        denied.nodes = denied.nodes.map { NodeStatus($0.node, failure: denial) }
        let output = denied.output(.plain)
        #expect(output.text.contains("\npublisher  DENIED        –    –"), "\(output.text)")
        #expect(output.text.contains("\nn2         DENIED        –    –"), "\(output.text)")
        #expect(
            output.complaints.last == "node n2 (e-n2) does not tell: you may not; it takes the "
                + "role metrics")
        #expect(output.status == .refused)
        let json = denied.output(.json).text
        #expect(json.contains(#""reachable":true,"state":null"#) && !json.contains("false"))
    }

    @Test func whatThePublisherHeardLastIsTold() throws {
        var lost = try status(isLastUp: false)
        let failure = try #require(lost.nodes[1].failure)
        func sentence(_ incarnation: UInt64, _ grantLeft: Duration?) throws -> String {
            let line = StatusSnapshot.NodeLine(
                node: lost.nodes[1].node, state: .live, applied: Sample.position(15),
                incarnation: Incarnation(incarnation), grantLeft: grantLeft)
            lost.nodes[1] = NodeStatus(line.node, failure: failure, line: line)
            return try #require(lost.output(.plain).complaints.first)
        }
        #expect(
            try sentence(7, .seconds(2)).hasSuffix(
                "; the publisher heard of it as LIVE at 1:15, and invalidations wait for it for 2s "
                    + "more"))
        #expect(try sentence(7, nil).hasSuffix("1:15, and no invalidation waits for it"))
        let absence = "; the publisher knows no run of it: it left, or never came"
        #expect(try sentence(0, nil).hasSuffix(absence))
    }

    @Test func aSyncingPublisherNamesTheNodesItHasYetToHear() throws {
        var asking = try status()
        var snapshot = try asking.publisher.get()
        snapshot.state = .syncing
        snapshot.nodes = [
            .init(
                node: try Sample.node("n2"), state: .starting, applied: .none,
                incarnation: .none, grantLeft: nil)
        ]
        asking.publisher = .success(snapshot)
        let text = asking.output(.plain).text
        #expect(
            text.contains(
                "\npublisher is SYNCING: it was started without its log and asks its nodes for "
                    + "its position; it has yet to hear n2, for a lease at most\n"), "\(text)")
    }

    @Test func aLineFitsATerminalOf80Columns() throws {
        for line in try status(isLastUp: false).output(.plain).text.split(separator: "\n") {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test func statesAreColouredOnATerminal() throws {
        let text = try status(isLastUp: false).output(.text(isColoured: true)).text
        #expect(text.contains("\u{1B}[32mLIVE\u{1B}[0m"))
        #expect(text.contains("\u{1B}[31mUNREACHABLE\u{1B}[0m"))
    }

    @Test func whatTakesItsTimeIsShownBelow() throws {
        var status = try status()
        status.pacings = [try PacingListingTests.pacing()]
        #expect(
            status.output(.plain).text.hasSuffix(
                "\npacing 3 hides everything, softly: 25% of the keys, 22.5s left\n"))
        #expect(status.output(.json).text.contains(#""pacings":[{"id":3,"state":"running""#))
    }

    @Test func jsonIsOneObject() throws {
        let output = try status(isLastUp: false).output(.json)
        #expect(
            output.text == """
                {"topology":"sharded","topology_version":3,"cluster":null,"head":"1:17",\
                "publisher":{"endpoint":"tcp://127.0.0.1:7400","reachable":true,"state":"LIVE",\
                "reason":null,"troubles":[],"messages":40,"figures":{"messages":40}},\
                "nodes":[{"node":"n1","endpoints":["e-n1"],"reachable":true,"state":"LIVE",\
                "reason":null,"troubles":[],"filling":false,"state_ms":null,\
                "applied":"1:17","lag":0,\
                "lease_ms":2900,"entries":1000,"bytes":1048576,\
                "hit_ratio":0.75,"memory_bytes":1048576,"memory_bytes_max":268435456,\
                "messages":12,"shards":1,"slots":null,"figures":{"entries":1000,"hits":3,\
                "memory_bytes":1048576,"memory_bytes_max":268435456,"messages":12,"misses":1,\
                "stale_hits":0}},\
                {"node":"n2","endpoints":["e-n2"],"reachable":false,"state":null,\
                "reason":"no answer came; --timeout gives it longer","troubles":[],\
                "filling":null,"state_ms":null,\
                "applied":null,"lag":null,"lease_ms":null,"entries":null,"bytes":null,\
                "hit_ratio":null,"memory_bytes":null,"memory_bytes_max":null,"messages":null,\
                "shards":1,"slots":null,"figures":{}}],"pacings":[]}

                """)
    }
}
