import CacheAccess
import Testing
import ZeroMQ

@testable import AccessControl

@Suite struct AccessControlErrorTests {
    @Test func everyErrorIsOneSentenceThatSaysWhereAndWhat() throws {
        let door = try Endpoint("tcp://127.0.0.1:7400")
        let failure = ZeroMQError(errno: 98, during: .binding)
        let problem = AccessListProblem(line: 3, reason: .key)
        let errors: [(AccessControlError, String)] = [
            (.unreadableList(path: "/l", reason: "r"), "the list of keys /l cannot be read: r"),
            (.wrongList(path: "/l", problem), "the list of keys /l, line 3: the second word is no"),
            (.openList(path: "/l", mode: 0o644), "/l may be read by others (mode 644), so the"),
            (.unguarded(door, isPlain: false), "\(door) admits a key that is in no list"),
            (.unguarded(door, isPlain: true), "\(door) admits a client without a key"),
            (.untested(door), "\(door) neither admitted nor refused an unknown key within 5.0 "),
            (.other(failure), "connections cannot be authenticated: cannot bind: "),
        ]
        for (error, beginning) in errors {
            #expect(error.description.hasPrefix(beginning), "\(error)")
            #expect(!error.description.contains("\n"))
        }
    }
}
