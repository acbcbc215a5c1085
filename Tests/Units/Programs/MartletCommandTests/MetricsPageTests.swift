import CacheMetrics
import CacheNodeCore
import Foundation
import GatewayServer
import Telemetry
import PublisherCore
import Testing
import TestSupport

@testable import martlet

/// docs/metrics.md, the dashboard and the alerts are held against the metrics that there are.
@Suite struct MetricsPageTests {
    private static let families =
        NodeReport.families + PublisherReport.families + GatewayMetrics.families
        + ProcessWatch.families + VerifyMetric.all

    private static func file(_ path: String) throws -> String { try Repository.text(of: path) }

    /// What stands in a text and is a name of a metric.
    private static func names(in text: String) -> Set<String> {
        Set(text.matches(of: #/(?:martlet|process)_[a-z_]+/#).map { String($0.output) })
    }

    /// Every name by which a query may ask for a sample.
    private static var sampleNames: Set<String> {
        Set(
            families.flatMap { family in
                family.kind == .histogram
                    ? ["_bucket", "_sum", "_count"].map { family.name + $0 }
                    : [family.sampleName]
            })
    }

    @Test func thePageListsEveryMetricAndNoOther() throws {
        let lines = try Self.file("docs/metrics.md").split(separator: "\n")
            .filter { $0.hasPrefix("| `") }.map(String.init)
        let wanted = Self.families.map {
            "| `\($0.sampleName)` | \($0.kind.rawValue) | \($0.help) |"
        }
        for line in wanted where !lines.contains(line) {
            Issue.record("docs/metrics.md lacks: \(line)")
        }
        for line in lines where !wanted.contains(line) {
            Issue.record("docs/metrics.md has what is not there: \(line)")
        }
        #expect(lines.count == wanted.count)
    }

    @Test func noNameIsGivenTwice() {
        let names = Self.families.map(\.sampleName)
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: ["deploy/alerts.yaml", "deploy/grafana-dashboard.json"])
    func queriesNameOnlyMetricsThatExist(path: String) throws {
        let text = try Self.file(path)
        let queries = text.split(separator: "\n").filter { $0.contains("expr") }
            .joined(separator: "\n")
        let found = Self.names(in: queries)
        #expect(found.count > 15)
        #expect(found.subtracting(Self.sampleNames) == [], "\(path) asks for what is not there")
    }

    @Test func everyAlertSaysWhatItMeans() throws {
        let text = try Self.file("deploy/alerts.yaml")
        let page = try Self.file("docs/operations.md")
        let alerts = text.matches(of: #/- alert: (\w+)/#).map { String($0.output.1) }
        #expect(alerts.count >= 15 && Set(alerts).count == alerts.count)
        for field in ["severity: ", "summary: ", "description: "] {
            #expect(text.components(separatedBy: field).count - 1 == alerts.count, "\(field)")
        }
        for alert in alerts { #expect(page.contains("`\(alert)`"), "\(alert): operations.md") }
    }

    /// Every metric that the page's text names exists.
    @Test func theTextNamesOnlyMetricsThatExist() throws {
        for path in [
            "docs/metrics.md", "docs/operations.md", "docs/commands.md",
            "docs/decisions/0060-metrics.md",
        ] {
            let found = Self.names(in: try Self.file(path)).filter {
                !$0.hasSuffix("_") && !["martlet_verify"].contains($0)
            }
            let known = Self.sampleNames.union(Self.families.map(\.sampleName))
            #expect(found.subtracting(known) == [], "\(path)")
        }
    }
}
