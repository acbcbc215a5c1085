import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct DrainReportTests {
    private func line(
        incarnation: UInt64 = 7, grant: Duration? = .milliseconds(2_900)
    ) throws -> StatusSnapshot.NodeLine {
        StatusSnapshot.NodeLine(
            node: try Sample.node("n2"), state: .draining, applied: Sample.position(4),
            incarnation: Incarnation(incarnation), grantLeft: grant)
    }

    private func report(_ ending: DrainReport.Ending) throws -> DrainReport {
        DrainReport(
            node: try Sample.node("n2"), ending: ending, waited: .milliseconds(1_240))
    }

    @Test func onlyTheRunThatWasOrderedToLeaveCounts() throws {
        let run = Incarnation(7)
        guard case .staying = DrainReport.ending(of: run, try line()) else {
            Issue.record("the publisher still knows it")
            return
        }
        for gone in [try line(incarnation: 0), try line(incarnation: 8), nil] {
            guard case .left = DrainReport.ending(of: run, gone) else {
                Issue.record("the publisher does not know it any more")
                return
            }
        }
    }

    @Test func aNodeThatIsGoneIsOneSentenceAndSuccess() throws {
        let endings: [(DrainReport.Ending, String)] = [
            (.left, "n2 has left after 1.2s: no invalidation waits for it\n"),
            (
                .silent,
                "n2 has ended after 1.2s without a goodbye that the publisher heard; its grant is "
                    + "over, so no invalidation waits for it\n"
            ),
            (
                .absent,
                "n2 is not there: it does not answer, and the publisher knows no run of it; "
                    + "nothing to drain (martlet node --id n2 starts it)\n"
            ),
        ]
        for (ending, text) in endings {
            let output = try report(ending).output(.plain)
            #expect(output.text == text)
            #expect(output.status == .done && output.complaints.isEmpty)
        }
    }

    @Test func aNodeThatIsStillThereIsAComplaint() throws {
        let output = try report(.staying(line())).output(.plain)
        #expect(output.bytes.isEmpty && output.status == .incomplete)
        #expect(
            output.complaints == [
                "n2 drains and is still there after 1.2s (DRAINING, grant 2.9s); ask again with a "
                    + "longer --timeout, or see its log for what it finishes"
            ])
        let error = CacheError(.disconnected, "the publisher cannot be reached")
        let unknown = try report(.unknown(error)).output(.plain)
        #expect(unknown.status == .incomplete)
        #expect(
            unknown.complaints == [
                "n2 drains, but whether it has left is not known: the publisher cannot be reached"
            ])
    }

    @Test func theJSONSaysTheSame() throws {
        let left = try report(.left).output(.json)
        #expect(
            left.text == """
                {"node":"n2","gone":true,"ending":"left","waited_ms":1240,"why":"n2 has left \
                after 1.2s: no invalidation waits for it"}

                """)
        let staying = try report(.staying(line())).output(.json)
        #expect(staying.text.contains(#""gone":false,"ending":"staying""#))
        #expect(staying.status == .incomplete)
    }

    @Test func aNodeThatDoesNotAnswerIsToldWithWhatToDo() throws {
        let silent = CacheError(.disconnected, "no")
        let leased = DrainReport.unreachable(try line(), silent)
        #expect(leased.status == .unreachable)
        #expect(
            leased.sentence == """
                node n2 does not answer, so it was not drained; its grant lasts 2.9s more, and if \
                it is dead, martlet forget n2 clears it away then
                """)
        let late = CacheError(.timedOut, "no", mayHaveHappened: true)
        #expect(
            DrainReport.unreachable(try line(grant: nil), late).sentence == """
                node n2 does not answer, and may drain all the same; if it is dead, martlet forget \
                n2 clears it away
                """)
    }

    @Test func whatIsShownMeanwhileSaysHowItStands() throws {
        let node = try Sample.node("n2")
        #expect(
            DrainReport.waiting(for: node, .staying(try line()))
                == "waiting for n2 to leave: DRAINING, grant 2.9s")
        #expect(
            DrainReport.waiting(for: node, .unknown(CacheError(.timedOut, "no")))
                == "waiting for n2 to leave: the publisher does not answer")
    }

    @Test func theCommandsReadTheirNode() throws {
        let drain = try Sample.command("drain n2 --timeout 1m", as: DrainCommand.self)
        #expect(drain.node.name == "n2" && drain.cluster.timeout == .seconds(60))
        let forget = try Sample.command("forget n2 --json", as: ForgetCommand.self)
        #expect(forget.node.name == "n2" && forget.cluster.json)
        for line in ["drain", "forget", "drain a@b", "forget n1 n2"] {
            #expect(try Sample.ending(line).status == ExitStatus.wrongUsage.rawValue, "\(line)")
        }
    }
}
