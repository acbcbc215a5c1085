import ArgumentParser
import CacheConfiguration
import CacheHTTP
import CommandSurface
import Foundation
import GatewayServer
import MartletClient
import Testing
import TestSupport

@testable import martlet

/// What a gateway runs with: flags, then variables, then the file.
@Suite struct GatewayPlanTests {
    private static let file = """
        publisher: {endpoint: "tcp://127.0.0.1:7500"}
        gateway:
          bind: 127.0.0.1:7481
          tokens: /t
          jwt-keys: /k
          jwt-audience: cache
          allow-origin: [https://a.example]
          max-body: 1MiB
          max-connections: 5
          idle: 10s
        nodes: [{id: n1}]

        """

    /// - Parameter flags: without `--config`, which stands before them.
    private func plan(
        _ flags: [String], _ environment: [String: String] = [:]
    ) throws -> GatewayPlan {
        try withTemporaryFile(Data(Self.file.utf8)) { path in
            try GatewayPlan(GatewayCommand.parse(["--config", path] + flags), environment)
        }
    }

    @Test func theConfigurationFileSuppliesOptionsThatNoFlagSets() throws {
        let options = try plan([]).options
        #expect(options.host == "127.0.0.1" && options.port == 7481)
        #expect(options.tokensFile == "/t" && options.webTokens?.keysFile == "/k")
        #expect(options.webTokens?.audience == "cache" && options.asksForTokens)
        #expect(options.origins.allows("https://a.example"))
        #expect(options.bodyBytesMax == 1 << 20 && options.connectionsMax == 5)
        #expect(options.patience == .seconds(10))
    }

    @Test func flagsAndVariablesGoBeforeTheFile() throws {
        let options = try plan(
            [
                "--bind", "127.0.0.1:1", "--jwt-audience", "other", "--max-body", "2MiB",
                "--max-connections", "6", "--idle", "20s", "--allow-origin", "https://b.example",
            ], ["MARTLET_TOKENS": "/v", "MARTLET_GATEWAY_BIND": "127.0.0.1:2"]
        ).options
        #expect(options.port == 1 && options.tokensFile == "/v")
        #expect(options.webTokens?.audience == "other")
        #expect(!options.origins.allows("https://a.example"))
        #expect(options.origins.allows("https://b.example"))
        #expect(options.bodyBytesMax == 2 << 20 && options.connectionsMax == 6)
        #expect(options.patience == .seconds(20))
    }

    @Test func withoutAFileItIsAsEver() throws {
        let options = try GatewayPlan(GatewayCommand.parse([]), [:]).options
        #expect(options.port == 7480 && !options.asksForTokens && options.origins.isEmpty)
        #expect(options.bodyBytesMax == 16 << 20 && options.connectionsMax == 10_000)
        #expect(options.patience == .seconds(30))
    }

    @Test func theGatewayAsksEveryPublisherOfTheFile() throws {
        let text = """
            publisher: {log: etcd, etcd: {endpoints: ['http://127.0.0.1:1']}}
            publishers:
              - {id: p1, endpoint: 'tcp://127.0.0.1:7400', state-directory: /s1}
              - {id: p2, endpoint: 'tcp://127.0.0.1:7500', state-directory: /s2}
            nodes: [{id: n1}]
            """
        try withTemporaryFile(Data(text.utf8)) { path in
            let plan = try GatewayPlan(GatewayCommand.parse(["--config", path]), [:])
            #expect(
                plan.options.client.endpoints == ["tcp://127.0.0.1:7400", "tcp://127.0.0.1:7500"])
        }
        #expect(try plan([]).options.client.endpoints == ["tcp://127.0.0.1:7500"])
    }

    @Test func upStartsAGatewayWhereTheFileSaysOne() throws {
        var configuration = try ClusterConfiguration.parse(Self.file, fileName: "f")
        #expect(try UpGateway(for: configuration).url == "http://127.0.0.1:7481")
        configuration.gateway?.bind = nil
        #expect(try UpGateway(for: configuration).port == 7563)
        configuration.gateway?.tlsCertificate = "/c"
        #expect(try UpGateway(for: configuration).url == "https://127.0.0.1:7563")
        configuration.gateway?.bind = HTTPPlace.loopback(port: 0)
        #expect(throws: CommandFailure.self) { try UpGateway(for: configuration) }
    }
}
