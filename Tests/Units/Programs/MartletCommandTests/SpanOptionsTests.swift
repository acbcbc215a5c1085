import ArgumentParser
import CommandSurface
import CacheMetrics
import Telemetry
import Testing

@testable import martlet

@Suite struct SpanOptionsTests {
    private func plan(_ arguments: [String], _ environment: [String: String] = [:]) throws
        -> (url: String, service: String)?
    {
        try SpanOptions.parse(arguments).plan(of: "martlet-test", environment: environment).map {
            ($0.export.place.url, $0.export.resource.service)
        }
    }

    @Test func nothingIsSentUnlessItIsSaid() throws {
        #expect(try plan([]) == nil)
        #expect(try plan([], ["MARTLET_TRACES": ""]) == nil)
        #expect(try plan(["--traces", "off"], ["MARTLET_TRACES": "http://a"]) == nil)
        #expect(try plan([], ["MARTLET_TRACE_RATIO": "0.5"]) == nil, "a variable may lie around")
    }

    @Test func aFlagWinsOverAVariable() throws {
        let environment = ["MARTLET_TRACES": "http://b:4318"]
        #expect(try plan([], environment)?.url == "http://b:4318/v1/traces")
        let planned = try #require(try plan(["--traces", "http://a:4318"], environment))
        #expect(planned.url == "http://a:4318/v1/traces" && planned.service == "martlet-test")
    }

    @Test(arguments: [
        ["--traces", "http://me:hunter2@a"], ["--traces", "hunter2"],
        ["--traces", "http://a", "--trace-ratio", "1.5"],
        ["--traces", "http://a", "--trace-ratio", "half"], ["--trace-ratio", "0.1"],
    ])
    func whatIsWrongIsSaidWithoutASecret(arguments: [String]) throws {
        let error = #expect(throws: CommandFailure.self) { try plan(arguments) }
        #expect(error?.status == .wrongUsage)
        #expect(error.map { !"\($0)".contains("hunter2") } == true)
    }

    @Test(arguments: [
        (["MARTLET_TRACES": "hunter2"], "MARTLET_TRACES"),
        (["MARTLET_TRACES": "http://a", "MARTLET_TRACE_RATIO": "2"], "MARTLET_TRACE_RATIO"),
    ])
    func aWrongVariableIsNamed(environment: [String: String], name: String) throws {
        let error = #expect(throws: CommandFailure.self) { try plan([], environment) }
        #expect(error.map { "\($0)".contains("\(name)") } == true)
    }
}
