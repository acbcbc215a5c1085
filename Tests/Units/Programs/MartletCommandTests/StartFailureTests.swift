import AccessControl
import CommandSurface
import PublisherServer
import Testing
import ZeroMQ

@testable import martlet

@Suite struct StartFailureTests {
    private static func failures(_ error: AccessControlError) -> [CommandFailure] {
        // Of a node, and of a publisher.
        let causes: [any Error] = [error, PublisherStartError.access(error)]
        return causes.map { CommandFailure(starting: $0) }
    }

    @Test func aDoorThatDidNotAnswerInTimeMayBeTriedAgain() throws {
        for failure in Self.failures(.untested(try Endpoint("tcp://127.0.0.1:7400"))) {
            #expect(failure.status == .unreachable)
            #expect(failure.sentence.contains("it is unknown whether it checks keys"))
        }
    }

    @Test func accessErrorsExitWithUnusableConfiguration() throws {
        let endpoint = try Endpoint("tcp://127.0.0.1:7400")
        for error in [
            AccessControlError.unguarded(endpoint, isPlain: false),
            .unguarded(endpoint, isPlain: true), .unreadableList(path: "list", reason: "gone"),
        ] {
            for failure in Self.failures(error) {
                #expect(failure.status == .unusableConfiguration)
            }
        }
    }
}
