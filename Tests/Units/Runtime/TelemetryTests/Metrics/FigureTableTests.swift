import CacheInvalidation
import CacheMetrics
import CacheModel
import CacheNodeCore
import Foundation
import PublisherCore
import Testing
import TestSupport

/// Every figure that a process tells has its name among metrics.
@Suite struct FigureTableTests {
    /// Names between quotes that stand where a figure is made, in a file of the sources.
    private static func figures(in path: String) throws -> Set<String> {
        let text = try Repository.text(of: "Sources/\(path)")
        var names: Set<String> = []
        for beginning in ["Figure(\"", "Figure(\n                    \"", ".init(\"", "(\""] {
            for piece in text.components(separatedBy: beginning).dropFirst() {
                // What is put together ends with a case or a name; any will do.
                let words = piece.prefix { $0 != "\"" }.components(separatedBy: "\\(")
                let name = words[0] + (words.count > 1 ? "x" : "")
                if name.contains(#/^[a-z][a-z_:]*x?$/#) { names.insert(name) }
            }
        }
        return names
    }

    @Test func theTableKnowsEveryFigureOfAShard() throws {
        let folder = "Cores/CacheNodeCore"
        let names = try Self.figures(in: "\(folder)/Administration/ShardCore+Statistics.swift")
            .union(Self.figures(in: "\(folder)/Administration/ShardStatistics+Figures.swift"))
            .union(Self.figures(in: "\(folder)/Entries/EntryStore+Figures.swift"))
        #expect(names.count > 90 && names.contains("disk_damaged") && names.contains("hits"))
        for name in names.sorted() {
            #expect(FigureTable.shards.knows(name), "\(name): add a rule to FigureTable+Shards")
        }
    }

    @Test func theTableKnowsEveryFigureOfAPublisher() throws {
        let names = try Self.figures(in: "Cores/PublisherCore/PublishingCore+Status.swift")
            .union(Self.figures(in: "Runtime/Storage/Log/FileLog.swift"))
            .union(PublisherStatistics().figures.map(\.name))
        #expect(names.count > 45 && names.contains("log_synchronized"))
        for name in names.sorted() {
            #expect(
                FigureTable.publisher.knows(name), "\(name): add a rule to FigureTable+Publisher")
        }
    }

    @Test func theTableKnowsEveryFigureOfAControlThread() {
        let statistics = NodeControlStatistics()
        let figures = statistics.figures
        // Each counter is among the figures, or nobody would ever see it.
        #expect(Mirror(reflecting: statistics).children.count == figures.count)
        for (name, _) in figures {
            #expect(FigureTable.control.knows(name), "\(name): add a rule to FigureTable+Control")
        }
    }

    @Test func anUnknownMetricIsNotExported() {
        var page = MetricPage()
        FigureTable.shards.add("frobnications", 1, of: FigureOwner(), to: &page)
        #expect(page == MetricPage() && !FigureTable.shards.knows("frobnications"))
    }

    @Test func aFigureGetsItsLabelsAndItsUnit() {
        var page = MetricPage()
        let node = MetricLabel("node", "n1")
        let shard = MetricLabel("shard", "2")
        for (name, value) in [
            ("lease_left_ms", 2_500), ("removed_evicted", 3), ("refused_invalidatedMeanwhile", 4),
            ("namespace_bytes:Team_A", 5), ("refused_messages", 6), ("refused_full", 7),
            ("entries_max", 8), ("namespace_entries:Team_A", 9),
            ("namespace_entries_max:Team_A", 10),
            ("namespace_disk_bytes:Team_A", 11), ("namespace_disk_bytes_max:Team_A", 12),
            ("namespace_disk_declined:Team_A", 13), ("disk_declined_share", 14),
        ] as [(String, UInt64)] {
            FigureTable.shards.add(
                name, value, of: FigureOwner([node], shard: shard, isFirst: true), to: &page)
        }
        #expect(page.value("martlet_node_lease_seconds", [node]) == .number(2.5))
        #expect(
            page.value(
                "martlet_node_removed_entries", [node, shard, MetricLabel("cause", "evicted")])
                == .count(3))
        #expect(
            page.value(
                "martlet_node_refused_stores",
                [node, shard, MetricLabel("reason", "invalidated_meanwhile")]) == .count(4))
        #expect(
            page.value(
                "martlet_node_namespace_bytes", [node, shard, MetricLabel("namespace", "Team_A")])
                == .count(5))
        #expect(page.value("martlet_node_refused_messages", [node, shard]) == .count(6))
        #expect(
            page.value(
                "martlet_node_refused_stores", [node, shard, MetricLabel("reason", "full")])
                == .count(7))
        #expect(page.value("martlet_node_max_entries", [node, shard]) == .count(8))
        let team = [node, shard, MetricLabel("namespace", "Team_A")]
        #expect(page.value("martlet_node_namespace_entries", team) == .count(9))
        #expect(page.value("martlet_node_namespace_max_entries", team) == .count(10))
        for (name, value) in [
            ("martlet_node_namespace_disk_bytes", 11),
            ("martlet_node_namespace_disk_max_bytes", 12),
            ("martlet_node_namespace_disk_declined", 13),
        ] as [(String, UInt64)] {
            #expect(page.value(name, team) == .count(value), "\(name)")
        }
        #expect(
            page.value(
                "martlet_node_disk_demotions",
                [node, shard, MetricLabel("verdict", "over_share")]) == .count(14))
    }

    @Test func whatIsOfTheProcessIsToldOnce() {
        var page = MetricPage()
        for number in 0..<3 {
            FigureTable.shards.add(
                "lease_left_ms", 1_000,
                of: FigureOwner(
                    [], shard: MetricLabel("shard", "\(number)"), isFirst: number == 0),
                to: &page)
        }
        #expect(page.entries.map(\.samples.count) == [1])
    }
}
