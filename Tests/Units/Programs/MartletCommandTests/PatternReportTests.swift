import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct PatternReportTests {
    private func result(
        _ change: (inout PatternInvalidation) -> Void = { _ in }
    ) throws -> PatternInvalidation {
        var result = PatternInvalidation(
            pattern: try KeyGlob(Array("u:*".utf8)), namespace: .default, isDryRun: false,
            wait: .all, nodes: [try node("n1"), try node("n2")], keyCount: 3,
            invalidatedCount: 3, isExact: true, recordCount: 2, inDoubtCount: 0,
            incompleteCount: 0, pending: [], position: Sample.position(17), wasStopped: false,
            failure: nil)
        change(&result)
        return result
    }

    private func node(_ name: String) throws -> PatternInvalidation.Node {
        PatternInvalidation.Node(
            id: try Sample.node(name), listedCount: 20, matchedCount: 2, matchedBytes: 30,
            isScanned: true, problem: nil)
    }

    private func output(
        _ style: OutputStyle = .plain, _ change: (inout PatternInvalidation) -> Void = { _ in }
    ) throws -> CommandOutput {
        PatternReport(result: try result(change), patience: .seconds(5)).output(style)
    }

    @Test func aCompleteRunSaysWhatWasDoneAndWhatIsNotCovered() throws {
        let output = try output()
        #expect(
            output.text == """
                node  state    keys  matching
                n1    scanned    20         2
                n2    scanned    20         2
                3 keys matching u:* invalidated in 2 records, the last at 1:17 · waited for all
                not covered: keys stored or loaded meanwhile, only on disk, hidden, or cached as \
                absent; tags and prefixes cover all

                """)
        #expect(output.complaints.isEmpty && output.status == .done)
    }

    @Test func aDryRunSaysSo() throws {
        let output = try output {
            $0.isDryRun = true
            $0.isExact = false
            $0.position = nil
        }
        #expect(
            output.text.contains(
                "at most 3 keys matching u:* would be hidden, with 60 bytes of values · a dry run"))
    }

    @Test func anUnscannedNodeIsNamedAndMakesTheReportIncomplete() throws {
        let output = try output {
            $0.nodes[1].isScanned = false
            $0.nodes[1].problem = "it cannot be\nreached"
        }
        #expect(output.text.contains("n2    not scanned"))
        #expect(
            output.complaints.first
                == "not complete: node n2 was not scanned to its end: it cannot be\\nreached")
        #expect(output.status == .incomplete)
    }

    @Test func aNodeThatMayHideKeysIsInDoubt() throws {
        let output = try output { $0.nodes[0].problem = "its state is SUSPECT" }
        #expect(output.text.contains("n1    in doubt") && output.status == .incomplete)
    }

    @Test func whereNoNodeWasReachedTheEndIsThree() throws {
        let output = try output { result in
            for index in result.nodes.indices {
                result.nodes[index].isScanned = false
                result.nodes[index].listedCount = 0
                result.nodes[index].problem = "away"
            }
        }
        #expect(output.status == .unreachable)
    }

    @Test func nodesThatHaveNotAppliedARecordAreNamed() throws {
        let pending = [try Sample.node("n2")]
        let output = try output {
            $0.incompleteCount = 1
            $0.pending = pending
        }
        #expect(
            output.complaints.first?.hasPrefix(
                "not complete: n2 has not applied 1 record within 5s; ") == true)
        #expect(output.status == .incomplete)
    }

    @Test func aFailureAfterSomeRecordsIsIncompleteAndBeforeThemItsOwn() throws {
        let later = try output {
            $0.failure = CacheError(.disconnected, "the publisher cannot be reached")
            $0.inDoubtCount = 2
        }
        #expect(later.status == .incomplete)
        #expect(
            later.complaints.first == """
                not complete: the publisher cannot be reached; 2 more keys may have been invalidated
                """)
        let first = try output {
            $0.failure = CacheError(.unauthorised, "the role read is missing")
            $0.invalidatedCount = 0
        }
        #expect(first.status == .refused)
    }

    @Test func aStopIsIncompleteAndSaysWhatIsLeft() throws {
        let output = try output {
            $0.wasStopped = true
            $0.nodes[1].isScanned = false
        }
        #expect(output.complaints.first?.hasPrefix("stopped; keys that were not listed") == true)
        #expect(output.status == .incomplete)
    }

    @Test func jsonHasExactlyItsFields() throws {
        let output = try output(.json) {
            $0.nodes[1].isScanned = false
            $0.nodes[1].problem = "away"
        }
        #expect(
            output.text == """
                {"position":"1:17","pattern":"u:*","namespace":"default","soft":false,\
                "dry_run":false,"wait":"all","complete":false,"matched":3,"invalidated":3,\
                "in_doubt":0,"exact":true,"records":2,"pending":[],"stopped":false,\
                "failure":null,"nodes":[\
                {"node":"n1","scanned":true,"keys":20,"matched":2,"bytes":30,"why":null},\
                {"node":"n2","scanned":false,"keys":20,"matched":2,"bytes":30,"why":"away"}]}

                """)
        #expect(output.status == .incomplete)
    }

    @Test func progressIsALine() throws {
        let text = PatternOrder.progress(
            try result { $0.nodes[1].isScanned = false }, after: .seconds(2))
        #expect(text == "40 keys listed, 1 of 2 nodes scanned · 3 match, 3 invalidated · 1/s")
    }
}
