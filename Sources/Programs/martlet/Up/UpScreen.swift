import CommandSurface
import MartletClient
import Telemetry

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What `up` shows a person.
enum UpScreen {
    static func show(
        _ report: ReadyReport, _ topology: ClusterTopology, logs: String, _ keys: UpKeys?
    ) {
        var table = Table([.left("ROLE"), .left("PID"), .left("ENDPOINTS")])
        func add(_ role: String, _ process: Int32, _ endpoints: String) {
            table.add([.init(role), .init("\(process)"), .init(endpoints)])
        }
        add("publisher", report.publisher.pid, place(report.publisher.endpoint))
        for node in report.nodes {
            let endpoints = node.endpoints.map(place).joined(separator: " ")
            add("node \(node.id)", node.pid, endpoints)
        }
        if let gateway = report.gateway { add(UpGateway.name, gateway.pid, gateway.url) }
        let cluster = "--cluster \(report.publisher.endpoint)"
        let isDefault = report.publisher.endpoint == "tcp://127.0.0.1:7400"
        let suffix = isDefault || keys != nil ? "" : " \(cluster)"
        let access = keys.map { self.access($0, report.publisher.endpoint) } ?? ""
        print(
            """
            \(table.text(isColoured: false))
            A \(topology.kind.rawValue) cluster of \(report.nodes.count) nodes is live.
            Logs: \(logs)
            \(metrics(report))\(access)Try:  martlet set greeting hello --tag words\(suffix)
                  martlet invalidate tag words\(suffix)
            Ctrl-C stops it.
            """)
        fflush(nil)
    }

    private static func metrics(_ report: ReadyReport) -> String {
        let places = ([report.publisher.http] + report.nodes.map(\.http)).compactMap(\.self)
        var said = places.prefix(1).map { "\($0)/metrics" }
        if places.count > 1 { said.append("of each node at the ports before it") }
        if let http = report.gateway?.http { said.append("of the gateway at \(http)/metrics") }
        return said.isEmpty ? "" : "Metrics: \(said.joined(separator: ", "))\n"
    }

    private static func access(_ keys: UpKeys, _ endpoint: String) -> String {
        """
        Only keys in \(keys.listFile.path) are admitted. As an operator:
              export MARTLET_CLUSTER='\(endpoint)'
              export MARTLET_KEY='\(keys.file(of: UpKeys.adminName))'
        A program takes \(keys.file(of: UpKeys.programName)).

        """
    }

    /// An endpoint without its key, which is the same for all of a process.
    private static func place(_ endpoint: String) -> String {
        String(endpoint.prefix { $0 != "?" })
    }

    static func say(_ line: String) {
        StandardError.write("martlet up: \(line)\n")
    }
}
