import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct ExitStatusTests {
    @Test func theCodesAreThoseThatScriptsRelyOn() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 64, 65, 70, 78])
    }

    static let codes: [(CacheError.Code, ExitStatus)] = [
        (.invalidArgument, .wrongUsage), (.valueTooLarge, .refused), (.refused, .refused),
        (.busy, .refused), (.protocolViolation, .refused), (.disconnected, .unreachable),
        (.timedOut, .unreachable), (.behind, .notFresh), (.closed, .bug), (.cancelled, .bug),
    ]

    @Test(arguments: codes)
    func everyFailureOfTheClientHasItsCode(code: CacheError.Code, status: ExitStatus) {
        #expect(ExitStatus(CacheError(code, "")) == status)
    }

    @Test func ofSeveralEndingsTheGravestCounts() {
        for status in ExitStatus.allCases {
            #expect(ExitStatus.done.combined(with: status) == status)
            #expect(status.combined(with: .done) == status)
            #expect(ExitStatus.bug.combined(with: status) == .bug)
        }
        #expect(ExitStatus.notFound.combined(with: .unreachable) == .unreachable)
        #expect(ExitStatus.unreachable.combined(with: .notFresh) == .unreachable)
        #expect(ExitStatus.notFound.combined(with: .notFresh) == .notFresh)
    }
}
