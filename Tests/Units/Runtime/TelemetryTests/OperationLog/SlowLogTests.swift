import CacheAccess
import CacheModel
import Foundation
import Telemetry
import Testing

@Suite struct SlowLogTests {
    private static func operation(_ took: Duration) -> SlowOperation {
        var operation = SlowOperation("get", took: took)
        operation.namespace = .default
        operation.key = Array("user:1 %\u{7}".utf8)
        operation.keyCount = 3
        operation.parts = [("disk", .zero), ("origin", .milliseconds(200))]
        operation.trace = TraceContext(
            traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        return operation
    }

    private static func members(_ line: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func aLineSaysWhatTookLongAndWhere() throws {
        let catcher = LineCatcher()
        let log = SlowLog(threshold: .milliseconds(100), names: .clear, logger: catcher.logger)
        log.note(Self.operation(.microseconds(99_999)))
        #expect(catcher.lines.isEmpty)
        log.note(Self.operation(.microseconds(250_500)))
        let line = try Self.members(try #require(catcher.lines.first))
        #expect(line["message"] as? String == "a slow operation")
        #expect(line["operation"] as? String == "get" && line["namespace"] as? String == "default")
        #expect(line["ms"] as? Double == 250.5 && line["origin_ms"] as? Double == 200)
        #expect(line["disk_ms"] == nil && line["keys"] as? Int == 3)
        #expect(line["key"] as? String == "user:1%20%25%07")
        #expect(line["request_id"] as? String == "4bf92f3577b34da6a3ce929d0e0e4736")
    }

    @Test func namesAreWrittenAsTheRuleSays() throws {
        let catcher = LineCatcher()
        let operation = Self.operation(.seconds(1))
        for names in [AuditNames.none, .hashed(NameHash(key0: 1, key1: 2))] {
            SlowLog(threshold: .milliseconds(1), names: names, logger: catcher.logger)
                .note(operation)
        }
        let lines = try catcher.lines.map(Self.members)
        #expect(lines.count == 2 && lines.allSatisfy { $0["key"] == nil })
        #expect(lines[0]["key_hash"] == nil)
        #expect((lines[1]["key_hash"] as? String)?.count == 16)
        #expect(catcher.lines.allSatisfy { !$0.contains("user") })
    }

    @Test func theSlowLogIsRateLimitedAndCountsOmittedLines() throws {
        let catcher = LineCatcher()
        let log = SlowLog(threshold: .milliseconds(1), names: .none, logger: catcher.logger)
        let operation = Self.operation(.seconds(1))
        let start = ContinuousClock.now
        var noted = 0
        repeat {
            log.note(operation)
            noted += 1
        } while ContinuousClock.now - start < .milliseconds(1_200)
        let seconds = Int((ContinuousClock.now - start) / .seconds(1)) + 2
        #expect((11...(seconds * OperationLogLimits.slowLinesMax)).contains(catcher.lines.count))
        #expect(noted > 1_000)
        let leftOut = try catcher.lines.compactMap { try Self.members($0)["left_out"] as? Int }
        #expect(leftOut.reduce(0, +) + catcher.lines.count <= noted && !leftOut.isEmpty)
    }

    @Test func oneOfSoManyIsSampled() throws {
        let catcher = LineCatcher()
        let log = SampleLog(every: 10, names: .none, logger: catcher.logger)
        let operation = Self.operation(.zero)
        for _ in 0..<95 where log.takesNext() { log.note(operation) }
        #expect(catcher.lines.count == 10)
        let line = try Self.members(try #require(catcher.lines.first))
        #expect(line["message"] as? String == "a sampled operation" && line["ms"] as? Double == 0)
    }
}
