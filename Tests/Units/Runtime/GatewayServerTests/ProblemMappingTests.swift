import CacheHTTP
import CacheModel
import Testing

@testable import GatewayServer
@testable import MartletClient

@Suite struct ProblemMappingTests {
    @Test(arguments: [
        (CacheError.Code.invalidArgument, 400), (.valueTooLarge, 413), (.closed, 503),
        (.cancelled, 503), (.disconnected, 503), (.busy, 503), (.timedOut, 504), (.behind, 503),
        (.refused, 409), (.unauthorised, 502), (.loadFailed, 502), (.protocolViolation, 502),
    ])
    func everyFailureOfTheClientHasAStatus(code: CacheError.Code, status: Int) {
        let problem = Problem(CacheError(code, "because", mayHaveHappened: true))
        #expect(problem.kind.status == status)
        #expect(problem.kind != .fault)
        #expect(problem.detail == "because")
        #expect(problem.mayHaveHappened)
    }

    @Test func whatPassesSaysWhenToAskAgain() {
        for code in [CacheError.Code.disconnected, .busy, .behind, .closed] {
            #expect(Problem(CacheError(code, "")).retryAfterSeconds == 1)
        }
        for code in [CacheError.Code.invalidArgument, .valueTooLarge, .refused, .unauthorised] {
            #expect(Problem(CacheError(code, "")).retryAfterSeconds == nil)
        }
        let broken = CacheError(.loadFailed, "", loadFailure: .broken)
        #expect(Problem(broken).retryAfterSeconds == 1)
        let refused = CacheError(.loadFailed, "", loadFailure: .refused)
        #expect(Problem(refused).retryAfterSeconds == nil)
    }

    @Test(arguments: StoreRefusal.allCases)
    func everyRefusalOfAStoreHasAKind(refusal: StoreRefusal) {
        let problem = Problem(CacheError(.refused, "no", refusal: refusal))
        let status =
            switch refusal {
            case .invalidatedMeanwhile, .leaseVoid, .olderVersion, .blind, .tokenTooOld, .changed:
                409
            case .tooLarge: 413
            case .behind, .publisherUnreachable, .uploadIncomplete, .draining, .unconfigured,
                .moved:
                503
            case .outOfRange: 400
            case .absent: 404
            case .originRefused, .queueUnusable: 502
            case .originUnanswered: 504
            case .full: 507
            }
        #expect(problem.kind.status == status)
        #expect(problem.mayHaveHappened == (refusal == .originUnanswered))
        #expect(problem.detail.contains("Martlet-Version") == (refusal == .blind))
    }
}
