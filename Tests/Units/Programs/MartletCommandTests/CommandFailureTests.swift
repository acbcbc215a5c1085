import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct CommandFailureTests {
    static let endpoint = "tcp://127.0.0.1:7400"

    @Test func whereNoClusterAnswersTheSentenceSaysHowToGetOne() {
        let error = CacheError(.disconnected, "\(Self.endpoint) cannot be reached")
        let failure = CommandFailure(error, endpoints: [Self.endpoint])
        #expect(failure.status == .unreachable)
        #expect(
            failure.sentence == "tcp://127.0.0.1:7400 cannot be reached; martlet up starts a "
                + "cluster, --cluster takes any publisher or node")
    }

    @Test func aShardThatIsDownIsNoReasonToStartACluster() {
        let error = CacheError(.disconnected, "shard 0 of node n2 cannot be reached")
        #expect(error.sentence(endpoints: [Self.endpoint]) == error.message)
    }

    @Test func whatMayHaveHappenedIsSaid() {
        let error = CacheError(.timedOut, "no answer came", mayHaveHappened: true)
        #expect(
            error.sentence(endpoints: [])
                == "no answer came; --timeout gives it longer; it may have been done all the same")
    }

    @Test func whatTheClientSaysItselfIsNotSaidTwice() {
        let said = "it was sent, not answered, and may have been done; asked again: refused"
        let error = CacheError(.refused, said, mayHaveHappened: true)
        #expect(error.sentence(endpoints: []) == said)
    }

    @Test func aSentenceFromAfarStaysOnOneLine() {
        let error = CacheError(.refused, "n1 refused: a\n\u{1B}[2Jb")
        #expect(error.sentence(endpoints: []) == #"n1 refused: a\n\x1b[2Jb"#)
    }
}
