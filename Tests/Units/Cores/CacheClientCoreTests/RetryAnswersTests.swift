import CacheClientCore
import CacheModel
import CacheWire
import Testing

@Suite struct RetryAnswersTests {
    private func failure(_ status: ResultStatus?, _ detail: UInt8 = 0) -> RetrySchedule.Failure? {
        RetrySchedule.Failure(status, detail: detail, retryAfter: .milliseconds(3))
    }

    @Test func whatIsNotYetIsAskedAgain() {
        #expect(failure(.busy) == .busy(retryAfter: .milliseconds(3)))
        #expect(failure(.deferred) == .deferred)
        #expect(failure(.behind, BehindReason.position.rawValue) == .behind)
        #expect(failure(.failed, LoadFailure.stillLoading.rawValue) == .silent)
    }

    @Test func everythingElseEndsAnOperation() {
        let others = ResultStatus.allCases.filter { ![.busy, .deferred].contains($0) }
        for status in others { #expect(failure(status) == nil) }
        #expect(failure(nil) == nil, "a status of a later version")
        for reason in BehindReason.allCases where reason != .position {
            #expect(failure(.behind, reason.rawValue) == nil)
        }
        for cause in LoadFailure.allCases where cause != .stillLoading {
            #expect(failure(.failed, cause.rawValue) == nil)
        }
    }
}
