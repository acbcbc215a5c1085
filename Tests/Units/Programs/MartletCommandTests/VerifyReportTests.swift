import CacheModel
import CacheVerification
import CommandSurface
import Foundation
import Testing

@testable import martlet

/// What `verify` prints, from a check whose log and answers are made up.
@Suite struct VerifyReportTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)

    private static func position(_ sequence: UInt64) -> LogPosition {
        LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence))
    }

    /// Two keys are invalidated; n1 is right about both, n2 about one.
    private func report(
        wrong: Bool = true, isHeard: Bool = true, answers: Bool = true,
        lateness: Duration = .zero
    ) throws -> VerifyReport {
        var plan = StandingPlan(leaseBound: .seconds(3))
        plan.delays = [.seconds(1), .seconds(10)]
        var check = StandingCheck(plan)
        for (number, name) in ["a", "b"].enumerated() {
            let scope = Scope(.key(try Sample.key(name), in: .default))
            _ = check.heard(
                InvalidationRecord(
                    position: Self.position(UInt64(number) + 1), previousDigest: LogDigest(0),
                    operation: .none, strength: .hard, scopes: [scope]), at: Self.start)
        }
        let now = Self.start.advanced(by: .seconds(1) + lateness)
        for (number, look) in check.takeDue(at: now, limit: 10).enumerated() {
            let right = NodeAnswer(
                isFresh: false, verdict: "absent", applied: Self.position(2), entry: nil)
            let old = NodeAnswer(
                isFresh: true, verdict: "fresh", applied: Self.position(2),
                entry: NodeAnswer.Entry(
                    version: Version(4), filled: Self.position(0), isUnfenced: false, tags: [],
                    age: .seconds(9)))
            let second = number == 0 && wrong ? old : right
            let nodes = [try Sample.node("n1"): right, try Sample.node("n2"): second]
            _ = check.answered(
                look, nodes.mapValues { answers ? $0 : nil }, askedAt: now, at: now)
        }
        return VerifyReport(
            check: check, elapsed: .seconds(2), firstPosition: isHeard ? Self.position(0) : nil,
            silence: isHeard ? .milliseconds(100) : nil, asked: 4, answered: answers ? 4 : 0)
    }

    @Test func aWrongAnswerEndsInFiveWithTheHistoryOfItsKey() throws {
        let output = try report().output(.plain)
        #expect(output.status == .violation)
        #expect(output.complaints == ["1 answer broke a promise of docs/consistency.md"])
        #expect(
            output.text == """
                watched for 2s from 1:0: 2 records, 2 keys named, 2 samples, 2 not looked at to \
                the end
                AFTER  NODE  JUDGED  RIGHT  SHOWN  BEHIND  WRONG  UNKNOWN  NO ANSWER  NINES
                   1s  n1         2      2      0       0      0        0          0   >0.0
                   1s  n2         2      1      0       0      1        0          0    0.3
                   1s  all        4      3      0       0      1        0          0    0.6
                  10s  all        0      0      0       0      0        0          0      –

                key a in default: the node says that it applied the invalidation, and shows an \
                older value as fresh: n2, 1000.000 ms after 1:1
                    +0.000 ms  invalidated at 1:1 by key a
                    +1000.000 ms  n1: absent, applied 1:2; right: nothing older is shown as fresh
                    +1000.000 ms  n2: fresh, applied 1:2, filled at 1:0, version 4, stored \
                9000.000 ms earlier; WRONG: the node says that it applied the invalidation, and \
                shows an older value as fresh

                """)
    }

    @Test func whereAllIsRightNothingIsComplainedOf() throws {
        let output = try report(wrong: false).output(.plain)
        #expect(output.status == .done && output.complaints.isEmpty)
    }

    @Test func anUnreachableClusterExitsWithThree() throws {
        let unheard = try report(isHeard: false, answers: false).output(.plain)
        #expect(unheard.status == .unreachable)
        #expect(unheard.complaints[0].contains("is its live port reachable?"))
        let unanswered = try report(answers: false).output(.plain)
        #expect(unanswered.status == .unreachable)
        #expect(unanswered.complaints[0].contains("no node answered"))
    }

    @Test func scriptsReadTheSameInJSON() throws {
        let text = try report().output(.json).text
        for part in [
            "\"seconds\":2.0", "\"samples\":2", "\"open\":2", "\"violations\":1",
            "{\"after_ms\":1000,\"node\":\"n1\",\"judged\":2,\"right\":2,\"shown\":0,\"behind\":0,"
                + "\"wrong\":0,\"unknown\":0,\"unanswered\":0,\"nines\":null,"
                + "\"nines_at_least\":0.0}",
            "\"broken\":[{\"key\":\"a\",\"namespace\":\"default\",\"node\":\"n2\","
                + "\"position\":\"1:1\",\"after_ms\":1000.0,\"filled\":\"1:0\","
                + "\"applied\":\"1:2\"",
        ] {
            #expect(text.contains(part), "\(part) is missing in \(text)")
        }
    }

    /// The two looks were asked 1 s after the second that was asked for.
    @Test func looksThatWereLateAreSaid() throws {
        let report = try report(wrong: false, lateness: .seconds(1))
        let text = report.output(.plain).text
        #expect(
            text.contains(
                "nodes were asked later than 1s: by 1s on average, 1s at most; a lower --sample"))
        #expect(try !self.report(wrong: false).output(.plain).text.contains("later than"))
        #expect(
            report.output(.json).text.contains(
                "\"late\":[{\"after_ms\":1000,\"looks\":2,\"mean_ms\":1000.0,\"max_ms\":1000.0},"
                    + "{\"after_ms\":10000,\"looks\":0,\"mean_ms\":null,\"max_ms\":null}]"))
        #expect(report.metricsText.contains("martlet_verify_late_seconds{after=\"1s\"} 1.0\n"))
    }

    @Test func oneOfAThingIsNotMany() throws {
        var plan = StandingPlan(leaseBound: .seconds(3))
        plan.amount = .perSecond(1)
        var check = StandingCheck(plan)
        let scopes = try ["a", "b"].map { Scope(.key(try Sample.key($0), in: .default)) }
        _ = check.heard(
            InvalidationRecord(
                position: Self.position(1), previousDigest: LogDigest(0), operation: .none,
                strength: .hard, scopes: scopes), at: Self.start)
        check.lostPlace()
        let report = VerifyReport(
            check: check, elapsed: .seconds(1), firstPosition: Self.position(0), silence: nil,
            asked: 0, answered: 0)
        let text = report.output(.plain).text
        for line in [
            "1 key was left out by --sample", "the log could not be followed 1 time",
            "1 sample given up because of that",
        ] {
            #expect(text.contains(line + "\n"), "\(line) is missing in \(text)")
        }
    }

    /// n1 shows something else than its origin has, and n2 what it has.
    private func compared() throws -> VerifyReport {
        var plan = StandingPlan(leaseBound: .seconds(3))
        plan.origins = OriginPlan(perSecond: 2, namespaces: [.default])
        var check = StandingCheck(plan)
        check.learn(WatchedKey(try Sample.key("a"), in: .default), tags: [])
        var found = OriginComparison(.differs, .live, applied: Self.position(9))
        found.shown = ValueImprint(valueBytes: 5, digest: 0xAB, etag: Validator("e\n1"))
        found.origin = ValueImprint(valueBytes: 6, digest: 0xCD, version: Version(4))
        found.filled = Self.position(7)
        found.age = .seconds(42)
        for offset in [0, 5] {
            let now = Self.start.advanced(by: .seconds(offset))
            let due = check.takeDueComparison(at: now)
            let look = try #require(due)
            check.compared(look, by: try Sample.node("n1"), .compared(found), at: now)
        }
        let end = Self.start.advanced(by: .seconds(6))
        let same = OriginComparison(.same, .live, applied: Self.position(9))
        for answer in [.compared(same), .unsupported] as [OriginAnswer] {
            let due = check.takeDueComparison(at: end)
            let look = try #require(due)
            check.compared(look, by: try Sample.node("n2"), answer, at: end)
        }
        return VerifyReport(
            check: check, elapsed: .seconds(6), firstPosition: Self.position(0), silence: nil,
            asked: 0, answered: 0)
    }

    @Test func whatDiffersFromItsOriginStandsBesideTheNines() throws {
        let output = try compared().output(.plain)
        #expect(output.status == .done && output.complaints.isEmpty)
        let text = try #require(output.text.range(of: "\ncompared with")).lowerBound
        #expect(
            output.text[text...] == """

                compared with their origins, 2 a second at most:
                NODE  COMPARED  SAME  DIFFERS  UNSTEADY  CHANGED  NOT SHOWN  PENDING  FAILED  \
                NO ANSWER
                n1           1     0        1         0        0          0        0       0  \
                        0
                n2           1     1        0         0        0          0        0       0  \
                        1
                all          2     1        1         0        0          0        0       0  \
                        1
                nodes declined to compare; they are of an earlier release, or the namespace has \
                lost its origin

                key a in default: n1 shows something else than its origin has, at two looks 5s \
                apart
                    shown   5B, ETag e\\n1, digest 00000000000000ab, stored 42s ago, filled at 1:7
                    origin  6B, version 4, digest 00000000000000cd

                """)
        #expect(try !report().output(.plain).text.contains("origin"))
    }

    @Test func scriptsReadWhatDiffersToo() throws {
        let report = try compared()
        let text = report.output(.json).text
        for part in [
            "\"origins\":{\"per_second\":2,\"nodes\":[{\"node\":\"n1\",\"compared\":1,\"same\":0,"
                + "\"differs\":1,\"unsteady\":0,\"changed\":0,\"not_shown\":0,\"pending\":0,"
                + "\"failed\":0,\"unsupported\":0,\"unanswered\":0}",
            "\"differences\":[{\"key\":\"a\",\"namespace\":\"default\",\"node\":\"n1\","
                + "\"apart_ms\":5000,\"filled\":\"1:7\",\"age_ms\":42000,\"fenced\":true,"
                + "\"shown\":{\"value_bytes\":5,\"digest\":\"00000000000000ab\",\"version\":null,"
                + "\"etag\":",
            "\"origin\":{\"value_bytes\":6,\"digest\":\"00000000000000cd\",\"version\":4}",
        ] {
            #expect(text.contains(part), "\(part) is missing in \(text)")
        }
        #expect(try self.report().output(.json).text.contains("\"origins\":null"))
        #expect(
            report.metricsText.contains(
                "martlet_verify_origin_total{node=\"n1\",finding=\"differs\"} 1\n"))
    }

    @Test func prometheusReadsTheSame() throws {
        let lines = try report().metricsText.split(separator: "\n")
        #expect(lines.contains("martlet_verify_violations_total 1"))
        #expect(lines.contains("martlet_verify_following 1"))
        #expect(
            lines.contains(
                "martlet_verify_answers_total{after=\"1s\",node=\"n2\",finding=\"wrong\"} 1"))
        #expect(lines.contains("martlet_verify_nines{after=\"1s\",node=\"n2\"} 0.3"))
        // Each name is explained once, before its first line.
        let types = lines.filter { $0.hasPrefix("# TYPE") }
        #expect(Set(types).count == types.count)
    }

    @Test func theScreenIsOneLine() throws {
        let text = VerifyScreen.text(try report())
        #expect(
            text == "2s · 2 records · 2 sampled, 2 open · 1s 0.6 · 10s – · 1 WRONG")
    }
}
