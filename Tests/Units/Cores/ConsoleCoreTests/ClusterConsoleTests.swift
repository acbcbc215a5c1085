import CacheModel
import Testing
import TestSupport

@testable import ConsoleCore

@Suite struct ClusterConsoleTests {
    /// Two seconds of a cluster at work.
    static func busy(_ change: (inout ConsoleSettings) -> Void = { _ in }) -> ConsoleBench {
        var bench = ConsoleBench(change)
        for _ in 0..<3 {
            bench.publish(4)
            bench.answer("n1", gets: 100)
            bench.answer("n2", gets: 900)
            bench.answer("n3", gets: 400)
            bench.pass()
        }
        return bench
    }

    @Test func aClusterAtWorkIsOneScreen() {
        let bench = Self.busy()
        #expect(
            bench.text(78, 24).prefix(12).joined(separator: "\n") == """
                martlet top  tcp://127.0.0.1:7400                                     every 1s
                publisher LIVE  head 1:12  nodes 3/3 live  sharded
                gets/s   1.4k          █  hits    75%            ▆  inv/s      4           █

                 NODE▲  STATE          FOR   LEASE    LAG  GETS/S   HITS  ENTRIES  MEMORY
                ›n1     LIVE                  2.9s      0     100    75%       42 12.3KiB
                 n2     LIVE                  2.9s      0     900    75%       42 12.3KiB
                 n3     LIVE                  2.9s      0     400    75%       42 12.3KiB


                 invalidations ───────────────────────────────────────────────────────────────
                 none yet
                """)
        #expect(bench.text().last == Self.footer)
    }

    static let footer =
        "q quit  ? help  / filter  < > sort  r reverse  enter node  i stream  p pause"

    @Test func theStreamStandsBelowNewestFirst() {
        var bench = Self.busy()
        bench.learn(.stream(.record(bench.record(13, [Scope(.everything)]))))
        bench.pass(.seconds(5))
        let key = CacheKey(bytes: Array("evil\u{1B}[2J中".utf8))
        let scope = key.map { Scope(.key($0, in: .default)) }
        bench.learn(.stream(.record(bench.record(14, scope.map { [$0] } ?? []))))
        let text = bench.text()
        #expect(text.contains("     0s  1:14       hard  key evil\\x1b[2J中"))
        #expect(text.contains("     5s  1:13       hard  everything"))
        bench.press("i")
        #expect(!bench.text().contains { $0.contains("invalidations") })
    }

    @Test func aNodeThatDiesKeepsItsRowAndSaysSinceWhen() {
        var bench = Self.busy()
        bench.vanish("n2")
        bench.pass(.seconds(12))
        bench.publish(lines: [
            id("n2"): PublisherObservation.Line(
                state: .live, applied: at(9), grantLeft: .milliseconds(1_200))
        ])
        bench.answer("n1")
        bench.answer("n3")
        let row = bench.text().first { $0.contains("n2") } ?? ""
        #expect(row.contains("UNREACHABLE    12s    1.2s      3       –"), "\(row)")
        #expect(bench.text()[1].contains("nodes 2/3 live 1 unreachable"))
        bench.answer("n2", gets: 100_000)
        // What it did while it was away is no rate of now.
        #expect(bench.text().first { $0.contains("n2") }?.contains("LIVE") == true)
        #expect(bench.console.cluster.nodes[1].track.rate("gets") == nil)
    }

    @Test func aNodeThatDeniesAccessIsShownAsDenied() {
        var bench = ConsoleBench()
        for name in ["n1", "n2"] {
            bench.learn(.noNode(id(name), Absence(isDenial: true, sentence: "it takes a role")))
        }
        bench.answer("n3")
        #expect(bench.text()[1].contains("nodes 1/3 live 2 denied"))
        #expect(bench.text().contains(" n1: it takes a role"))
    }

    @Test func metricsWithoutUpdatesAreMarkedStale() {
        var bench = Self.busy()
        bench.pass(.seconds(7))
        #expect(bench.text()[0].hasSuffix("figures are 8s old"))
        #expect(bench.text().contains { $0.contains("STALE           8s") })
        #expect(bench.screen().rows[6].contains { $0.glyph == "2" && $0.style.isFaint })
    }

    @Test func aSlowLineIsToldOf() {
        var bench = Self.busy()
        bench.console.isLineSlow = true
        #expect(bench.text()[0].hasSuffix("slow line: frames are left out"))
    }

    @Test(
        arguments: [
            (["log_refusing": 1, "config_refused": 1], " LIVE REFUSES INVALIDATIONS"),
            (["config_refused": 1], " LIVE IN TROUBLE"),
            (["duplicate_node:n1": 1], " LIVE IN TROUBLE"), (["log_refusing": 0], " LIVE  head"),
        ] as [([String: UInt64], String)])
    func aPublisherThatCannotDoAPartOfItsWorkIsMarked(figures: [String: UInt64], text: String) {
        var bench = Self.busy()
        bench.learn(
            .publisher(
                PublisherObservation(state: .live, head: at(12), figures: figures, lines: [:])))
        #expect(bench.text()[1].hasPrefix("publisher\(text)"), "\(bench.text()[1])")
    }

    @Test(arguments: ["queue_unusable", "origin_off:news"])
    func nodesThatCannotDoAPartOfTheirWorkAreCounted(figure: String) {
        var bench = Self.busy()
        #expect(!bench.text()[1].contains("in trouble"))
        bench.figures["n2"]?[figure] = 1
        bench.answer("n2")
        #expect(bench.text()[1].contains("nodes 3/3 live 1 in trouble"), "\(bench.text()[1])")
    }

    @Test func aPublisherThatIsAwaySaysSinceWhen() {
        var bench = Self.busy()
        bench.learn(.noPublisher(Absence(isDenial: false, sentence: "silent")))
        bench.pass(.seconds(3))
        #expect(bench.text()[1].hasPrefix("publisher UNREACHABLE for 3s  head 1:12"))
        #expect(bench.text()[2].contains("inv/s      –"))
    }

    @Test func anUnreachableClusterIsShownWithTheEndpointBeingTried() {
        var bench = ConsoleBench(nodes: [])
        #expect(bench.text().contains(" asking tcp://127.0.0.1:7400 for the topology"))
        bench.learn(.trouble("nobody answers"))
        bench.pass(.seconds(9))
        let text = bench.text()
        #expect(text.contains(" no cluster yet, for 9s"))
        #expect(text.contains(" trying tcp://127.0.0.1:7400, again and again"))
        #expect(text.contains(" nobody answers"))
    }

    @Test(arguments: [
        (20, 5), (1, 1), (2, 2), (10, 3), (20, 8), (40, 10), (80, 24), (500, 12), (500, 200),
        (1_000, 1_000),
    ])
    func everySizeIsDrawn(columns: Int, rows: Int) {
        var bench = Self.busy()
        bench.vanish("n1")
        for page in ["", "?", "?"] {
            bench.press(page)
            let screen = bench.screen(columns, rows)
            #expect(screen.size == ScreenSize(columns: columns, rows: rows))
            #expect(ScreenPainterTests.isWhole(screen))
        }
        _ = bench.press(.enter)
        #expect(ScreenPainterTests.isWhole(bench.screen(columns, rows)))
    }

    @Test func aTinyScreenStillShowsNodes() {
        #expect(
            Self.busy().text(20, 5) == [
                "martlet top every 1s", "publisher LIVE  head", " NODE▲  STATE",
                "›n1     LIVE", " n2     LIVE",
            ])
    }

    @Test func aPausedScreenStandsStill() {
        var bench = Self.busy()
        bench.press("p")
        let before = bench.text()
        bench.publish(500)
        bench.answer("n1", gets: 77_777)
        bench.pass(.seconds(20))
        #expect(bench.text().dropFirst() == before.dropFirst())
        #expect(bench.text()[0].hasSuffix("PAUSED 20s"))
        bench.press("p")
        #expect(bench.text() != before)
    }

    @Test func rowsAreSortedByAnyColumnEitherWayRound() {
        var bench = Self.busy()
        #expect(bench.names == ["n1", "n2", "n3"])
        for column in NodeColumn.allCases {
            bench.console.settings.sort = column
            let names = bench.names
            #expect(Set(names) == ["n1", "n2", "n3"], "\(column)")
        }
        bench.console.settings.sort = .gets
        #expect(bench.names == ["n2", "n3", "n1"])
        bench.press("r")
        #expect(bench.names == ["n1", "n3", "n2"])
        // Whoever tells nothing stands last, whichever way round.
        bench.vanish("n3")
        #expect(bench.names == ["n1", "n2", "n3"])
        bench.press("r")
        #expect(bench.names == ["n2", "n1", "n3"])
    }

    @Test func namesAreSortedAsPeopleCount() {
        let bench = ConsoleBench(nodes: ["n10", "n9", "a", "n2", "n02", "n1x"])
        #expect(bench.names == ["a", "n1x", "n02", "n2", "n9", "n10"])
    }

    @Test func keysMoveTheSortedColumnRoundTheTable() {
        var bench = Self.busy()
        let columns = NodeColumn.allCases.filter { $0 != .disk && $0 != .slots }
        for column in columns.dropFirst() + [.node] {
            bench.press(">")
            #expect(bench.console.settings.sort == column)
        }
        #expect(bench.press(.left) == .draw)
        #expect(bench.console.settings.sort == .shards)
    }

    @Test func whereTheLogAssignsSlotsTheTableAndTheSummaryShowThem() {
        var bench = Self.busy()
        #expect(!bench.text().joined().contains("SLOTS"))
        bench.publish(slots: ["slots:n1": 12_288, "slots:n2": 4_096, "slots_waiting": 4_096])
        let text = bench.text(100)
        #expect(text[1].contains("slots that move 4096"), "\(text[1])")
        let titles = text.first { $0.contains("SLOTS") }
        #expect(titles != nil)
        let rows = ["n1", "n2", "n3"].map { name in text.first { $0.contains("\(name) ") } ?? "" }
        #expect(rows[0].contains("12288") && rows[1].contains("4096"), "\(rows)")
        bench.publish(slots: ["slots:n1": 16_384, "slots_waiting": 0])
        #expect(!bench.text(100)[1].contains("slots that move"))
    }

    @Test func aNodeThatCopiesEntriesIsCountedAndItsPageSaysHowFar() {
        var bench = Self.busy()
        #expect(!bench.text(120)[1].contains("being filled"))
        bench.figures["n1"]?.merge(
            ["warm_up_phase": 2, "warm_up_done": 120, "warm_up_keys": 5_000]) { $1 }
        bench.answer("n1")
        #expect(bench.text(120)[1].contains("being filled 1"), "\(bench.text(120)[1])")
        _ = bench.press(.enter)
        let page = bench.text(120)
        #expect(
            page.contains {
                $0.contains("is being filled: 120 of 5000 keys of another node are here")
            },
            "\(page)")
        bench.answer("n1", state: .suspect)
        #expect(!bench.text(120).joined().contains("filled"))
        bench.answer("n1")
        bench.figures["n1"]?["warm_up_phase"] = 0
        bench.answer("n1")
        #expect(!bench.text(120).joined().contains("filled"))
    }

    @Test func aFilterIsTypedKeptAndDropped() {
        var bench = Self.busy()
        bench.press("/N2")
        #expect(bench.names == ["n2"])
        #expect(bench.text().last?.hasPrefix("/N2") == true)
        _ = bench.press(.enter)
        #expect(bench.names == ["n2"])
        bench.press("/qqq")
        #expect(bench.text().contains(" no node matches N2qqq"))
        _ = bench.press(.escape)
        #expect(bench.names == ["n2"])
        _ = bench.press(.escape)
        #expect(bench.names.count == 3)
        bench.press("/" + String(repeating: "x", count: 1_000))
        #expect(bench.console.draft?.count == ConsoleLimits.filterCharactersMax)
    }

    @Test func theSelectionStaysWithItsNode() {
        var bench = Self.busy()
        _ = bench.press(.down)
        #expect(bench.text().contains { $0.hasPrefix("›n2") })
        bench.console.settings.sort = .gets
        bench.press("r")
        #expect(bench.text().contains { $0.hasPrefix("›n2") })
        _ = bench.press(.home)
        #expect(bench.text().contains { $0.hasPrefix("›n1") })
    }

    @Test func theSelectedRowStaysInSightOfManyNodes() {
        var bench = ConsoleBench(nodes: (1...1_000).map { "n\($0)" })
        for _ in 0..<70 { _ = bench.press(.pageDown) }
        #expect(bench.text().contains { $0.hasPrefix("›n701 ") })
        _ = bench.press(.end)
        #expect(bench.text().contains { $0.hasPrefix("›n1000 ") })
    }

    @Test func enterShowsANodeAndEscapeGoesBack() {
        var bench = Self.busy()
        _ = bench.press(.down)
        bench.answer("n2", state: .suspect, reason: "no word from the publisher for 15s")
        #expect(bench.text().contains { $0.contains("n2: no word from the publisher for 15s") })
        #expect(bench.press(.enter) == .draw)
        let text = bench.text()
        #expect(text.contains { $0.hasPrefix("n2  SUSPECT") })
        #expect(text.contains(" no word from the publisher for 15s"))
        #expect(text.contains { $0.hasPrefix("removed   evicted 0") })
        #expect(bench.press(.escape) == .draw)
        #expect(bench.text().contains { $0.contains("NODE▲") })
    }

    @Test func onlyTheTableIsLeftByQ() {
        var bench = Self.busy()
        bench.press("?")
        #expect(bench.press(.character("q")) == .draw)
        #expect(bench.press(.character("q")) == .quit)
        #expect(bench.press(.control("c")) == .quit)
        #expect(bench.press(.control("z")) == .suspend)
        bench.press("/")
        #expect(bench.press(.character("q")) == .draw)
        #expect(bench.press(.control("c")) == .quit)
    }

    @Test func whatIsNoTerminalGetsLinesWithoutKeys() {
        let lines = Self.busy().console.page(columns: 80, now: Self.busy().now)
        #expect(lines.count == 8)
        #expect(lines[5].hasPrefix(" n1     LIVE"))
    }

    @Test func figuresThatCannotBeAreDrawnAllTheSame() {
        var bench = Self.busy()
        var strange: [String: UInt64] = [:]
        for name in bench.figures["n1", default: [:]].keys { strange[name] = .max }
        strange["memory_bytes_max"] = 1
        strange["state_ms"] = .max
        for _ in 0..<2 {
            bench.figures["n1"] = strange
            bench.now = bench.now.advanced(by: .nanoseconds(1))
            bench.answer("n1", applied: (1 << 48) - 1, state: .suspect, reason: "\u{1B}c")
        }
        for column in NodeColumn.allCases {
            bench.console.settings.sort = column
            #expect(ScreenPainterTests.isWhole(bench.screen(200, 30)))
        }
        _ = bench.press(.enter)
        #expect(ScreenPainterTests.isWhole(bench.screen(200, 30)))
        #expect(bench.text().contains(" \\x1bc"))
    }

    @Test(arguments: 0..<60)
    func whateverIsPressedAndHeardThereIsAScreen(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var bench = Self.busy()
        var decoder = KeyDecoder()
        for _ in 0..<60 {
            let bytes = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
            for key in decoder.read(bytes) + decoder.passTime() { _ = bench.press(key) }
            let name = ["n1", "n2", "n3", "n4"].randomElement(using: &generator) ?? "n1"
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bench.vanish(name)
            case 1: bench.answer(name, gets: UInt64.random(in: 0..<1_000, using: &generator))
            case 2: bench.figures[name] = nil
            case 3: bench.learnTopology(["n1", name])
            case 4: bench.publish(UInt64.random(in: 0..<5, using: &generator))
            default: bench.pass(.milliseconds(Int.random(in: 0...5_000, using: &generator)))
            }
            let screen = bench.screen(
                Int.random(in: 1...120, using: &generator),
                Int.random(in: 1...40, using: &generator))
            #expect(ScreenPainterTests.isWhole(screen))
        }
    }
}
