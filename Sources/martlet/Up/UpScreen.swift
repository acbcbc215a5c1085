import Foundation
import MartletClient

/// What `up` shows a person.
enum UpScreen {
    /// The table of who listens where, and what to try next.
    static func show(_ report: ReadyReport, _ topology: ClusterTopology, logs: String) {
        var rows = [["ROLE", "PID", "ENDPOINTS"]]
        rows.append(["publisher", "\(report.publisher.pid)", report.publisher.endpoint])
        for node in report.nodes {
            rows.append(["node \(node.id)", "\(node.pid)", node.endpoints.joined(separator: " ")])
        }
        let cluster = "--cluster \(report.publisher.endpoint)"
        let isDefault = report.publisher.endpoint == "tcp://127.0.0.1:7400"
        let suffix = isDefault ? "" : " \(cluster)"
        print(
            """
            \(aligned(rows))

            A \(topology.kind.rawValue) cluster of \(report.nodes.count) nodes is live.
            Logs: \(logs)
            Try:  martlet set greeting hello --tag words\(suffix)
                  martlet invalidate tag words\(suffix)
            Ctrl-C stops it.
            """)
        fflush(nil)
    }

    /// One line while it runs.
    static func say(_ line: String) {
        FileHandle.standardError.write(Data("martlet up: \(line)\n".utf8))
    }

    private static func aligned(_ rows: [[String]]) -> String {
        let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = (0..<2).map { column in
                row[column].padding(toLength: widths[column], withPad: " ", startingAt: 0)
            }
            return (cells + [row[2]]).joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
