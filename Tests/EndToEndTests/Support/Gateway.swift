import Foundation
import Testing
import TestSupport

/// `martlet gateway`, running on a port that the system gave it.
struct Gateway {
    let program: RunningProgram
    let directory: TemporaryDirectory
    let url: String
    /// Where it listens, for those who write bytes of their own.
    let port: UInt16

    /// Starts one for a cluster and waits until it listens.
    static func start(_ cluster: String, _ arguments: [String] = []) async throws -> Gateway {
        let directory = try TemporaryDirectory()
        do {
            let program = try RunningProgram(
                ["gateway", "--bind", "127.0.0.1:0", "--cluster", cluster] + arguments,
                name: "gateway", in: directory.url)
            do {
                try await eventually("the gateway listens") {
                    place(program) != nil || !program.isRunning
                }
                let url = try #require(place(program), "\(program.errors)")
                let port = try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
                return Gateway(program: program, directory: directory, url: url, port: port)
            } catch {
                program.kill()
                throw error
            }
        } catch {
            directory.remove()
            throw error
        }
    }

    private static func place(_ program: RunningProgram) -> String? {
        guard let range = program.errors.range(of: "the gateway listens on ") else { return nil }
        let line = program.errors[range.upperBound...]
        guard line.contains("\n") else { return nil }
        return String(line.prefix { !$0.isWhitespace && $0 != "\"" })
    }

    /// What curl makes of a request of it.
    func curl(
        _ path: String, _ arguments: [String] = [], input: [UInt8] = []
    ) async throws -> CurlAnswer {
        try await CurlAnswer.of(["--path-as-is", url + path] + arguments, input: input)
    }

    /// Waits until it has a connection to every node: the first may take longer on a busy machine
    /// than a request waits for one.
    func settle(_ arguments: [String]) async throws {
        let keys = (0..<40).map { "\"settle\($0)\"" }.joined(separator: ",")
        try await eventually("the gateway reaches every node") {
            let answer = try await curl(
                "/v1/images:batch", arguments + ["--data-binary", "{\"keys\":[\(keys)]}"])
            return answer.status == 200 && !answer.text.contains("\"status\":503")
        }
    }

    /// Stops it as a service manager would.
    func stop() async throws {
        program.signal(SIGTERM)
        let code = try await program.ended()
        #expect(code == 0, "the gateway ended with \(code): \(program.errors)")
    }

    /// Ends what may still run. Any number of times.
    func clear() {
        program.kill()
        directory.remove()
    }
}

/// Tells a story with a cluster and a gateway before it.
func withGateway(
    _ plan: ClusterPlan = ClusterPlan(), _ arguments: [String] = [],
    curlArguments: [String] = [],
    _ story: (Cluster, Gateway) async throws -> Void
) async throws {
    try await withCluster(plan) { cluster in
        let endpoint = try #require(cluster.ready.publisher.endpoint)
        let gateway = try await Gateway.start(endpoint, arguments)
        defer { gateway.clear() }
        do {
            try await gateway.settle(curlArguments)
            try await story(cluster, gateway)
            try await gateway.stop()
        } catch {
            throw GaveUp("\(error)\n\(gateway.program.errors)")
        }
    }
}
