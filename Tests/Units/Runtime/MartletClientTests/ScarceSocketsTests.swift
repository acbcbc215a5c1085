import CacheModel
import Foundation
@testable import MartletClient
import Testing

/// What a client does when the system has no descriptor left for it.
@Suite struct ScarceSocketsTests {
    /// In a process of its own, because the bound on descriptors is the process's.
    @Test func aFailedSocketOpenFailsItsCallsButNotTheClient() async {
        await #expect(processExitsWith: .success) {
            // A call that never ends is a failure.
            alarm(60)
            let cluster = try ScriptedCluster()
            try await cluster.withClient { client in
                _ = try await client.cluster.topology()
                let before = try Descriptors.forbidMore()
                let codes = await withTaskGroup(of: CacheError.Code?.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            await failure { () throws(CacheError) in
                                number % 2 == 0
                                    ? try await client.get(Sample.key("k\(number)")) != nil
                                    : try await client.delete([Sample.key("k\(number)")]) == .none
                            }?.code
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                precondition(codes == Array(repeating: .disconnected, count: 200))
                try Descriptors.set(before)
                let value = try await client.get(Sample.key("a"))
                precondition(value == nil, "the client goes on")
            }
        }
    }

    @Test func theInboxForgetsABurst() {
        var mail = LoopInbox.Mail()
        mail.letters = (0..<500_000).map { .cancelGet(ticket: $0) }
        mail.removeAll()
        #expect(mail.isEmpty && mail.letters.capacity < 10_000)
    }
}

/// The process's bound on open descriptors.
private enum Descriptors {
    struct Refused: Error {}

    /// - Returns: what the bound was.
    static func forbidMore() throws -> rlimit {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { throw Refused() }
        let before = limit
        let first = open("/dev/null", O_RDONLY)
        guard first >= 0, close(first) == 0 else { throw Refused() }
        limit.rlim_cur = rlim_t(first)
        try set(limit)
        return before
    }

    static func set(_ limit: rlimit) throws {
        var limit = limit
        guard setrlimit(resource, &limit) == 0 else { throw Refused() }
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
