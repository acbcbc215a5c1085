import ArgumentParser
import Testing

@testable import martlet

@Suite struct ClusterOptionsTests {
    @Test func theFlagOverridesTheVariableAndTheVariableTheDefault() throws {
        let variable = ["MARTLET_CLUSTER": "tcp://127.0.0.1:7500"]
        let named = try ClusterOptions.parse(["--cluster", "tcp://127.0.0.1:7600"])
        #expect(try named.endpoints(environment: variable) == ["tcp://127.0.0.1:7600"])
        let unnamed = try ClusterOptions.parse([])
        #expect(try unnamed.endpoints(environment: variable) == ["tcp://127.0.0.1:7500"])
        #expect(try unnamed.endpoints(environment: [:]) == ["tcp://127.0.0.1:7400"])
        #expect(
            try unnamed.endpoints(environment: ["MARTLET_CLUSTER": ""])
                == ["tcp://127.0.0.1:7400"])
    }

    @Test(arguments: [
        ("localhost:7400", "tcp://127.0.0.1:7400"), ("cache-1:7400", "tcp://cache-1:7400"),
        ("[::1]:7400", "tcp://[::1]:7400"),
    ])
    func aHostAndAPortNeedNoScheme(typed: String, meant: String) throws {
        let named = try ClusterOptions.parse(["--cluster", typed])
        #expect(try named.endpoints(environment: [:]) == [meant])
        let unnamed = try ClusterOptions.parse([])
        #expect(try unnamed.endpoints(environment: ["MARTLET_CLUSTER": typed]) == [meant])
    }

    @Test func severalEndpointsArePartedByCommas() throws {
        let options = try ClusterOptions.parse([
            "--cluster", "tcp://localhost:7400, ipc:///run/martlet/n1",
        ])
        #expect(
            try options.endpoints(environment: [:])
                == ["tcp://127.0.0.1:7400", "ipc:///run/martlet/n1"])
    }

    @Test func aWrongVariableIsBlamedByName() throws {
        let options = try ClusterOptions.parse([])
        #expect {
            try options.endpoints(environment: ["MARTLET_CLUSTER": "tcp://x"])
        } throws: { error in
            (error as? ValidationError)?.message.hasPrefix("MARTLET_CLUSTER: ") == true
        }
    }

    @Test func patienceIsFiveSecondsUnlessSaid() throws {
        #expect(try ClusterOptions.parse([]).patience == .seconds(5))
        #expect(try ClusterOptions.parse(["--timeout", "250ms"]).patience == .milliseconds(250))
    }
}
