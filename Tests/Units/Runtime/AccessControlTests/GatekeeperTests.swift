import ByteCoding
import CacheAccess
import Foundation
import Testing
import TestSupport
import Threading
import ZeroMQ

@testable import AccessControl

/// The thread that libzmq asks, with real sockets and a real file.
@Suite(.timeLimit(.minutes(2))) struct GatekeeperTests {
    private let web: CurveKeyPair
    private let ops: CurveKeyPair

    init() throws {
        web = try CurveKeyPair.generate()
        ops = try CurveKeyPair.generate()
    }

    private func number(_ rawValue: UInt32) -> PrincipalNumber {
        PrincipalNumber(rawValue: rawValue)
    }

    @Test func onlyListedPublicKeysAreAdmittedEachUnderItsNumber() throws {
        let server = try GuardedServer(
            Sample.line("web", web, "read") + Sample.line("ops", ops, "admin"))
        defer { server.end() }
        #expect(try server.knock(as: .stranger) == .refused)
        #expect(try server.knock(as: .holder(CurveKeyPair.generate())) == .refused)
        #expect(try server.knock(as: .plain) != .admitted)
        #expect(try server.knock(as: .holder(web)) == .admitted)
        let holder = try Holder(ops, server.endpoint)
        try holder.send()
        #expect(try server.nextNumber() == 2)
        let line = try #require(
            server.log.lines.first { $0.hasPrefix("notice a handshake was refused") })
        #expect(line.contains("address=127.0.0.1 door=data key="), "\(line)")
        #expect(line.hasSuffix("reason=its key is not in the list"), "\(line)")
        #expect(!server.log.lines.contains { $0.contains("\(web.publicKey)") })
    }

    @Test func theServersOwnKeyIsNoTicket() throws {
        let server = try GuardedServer(Sample.line("web", web, "read"))
        defer { server.end() }
        #expect(try server.knock(as: .holder(server.keys)) == .refused)
    }

    @Test func aFollowerReceivesTheTableAtOnceAndEachChangeOnce() throws {
        let server = try GuardedServer(Sample.line("web", web, "read"))
        defer { server.end() }
        try waitUntil("the first table") { server.table != nil }
        #expect(server.table?.entry(of: number(1))?.name == "web")
        // The same list in another file, and one that says the same, change nothing.
        try server.write(Sample.line("web", web, "read"))
        try server.write(Sample.line("web", web, "read") + "# and a comment\n")
        try waitUntil("it is taken over") {
            server.log.count("notice the list of keys has changed") == 1
        }
        try server.write(Sample.line("web", web, "write"))
        try waitUntil("the change") { server.table?.entry(of: number(1))?.rights == .write }
        #expect(server.told.withLock { $0.count } == 2)
        let late = Guarded<[AccessTable]>([])
        server.gatekeeper.follow { table in late.withLock { $0.append(table) } }
        try waitUntil("who comes late is told, too") { late.withLock { !$0.isEmpty } }
        #expect(late.withLock { $0 } == [server.table])
    }

    @Test func aRevokedCredentialKeepsItsConnectionButLosesItsEntry() throws {
        let server = try GuardedServer(
            Sample.line("web", web, "read") + Sample.line("ops", ops, "admin"))
        defer { server.end() }
        let holder = try Holder(web, server.endpoint)
        try holder.send()
        #expect(try server.nextNumber() == 1)
        try server.write(Sample.line("ops", ops, "admin"))
        try waitUntil("it is revoked") {
            server.table?.entry(of: number(1)) == nil && server.table != nil
        }
        #expect(server.table?.entry(of: number(2))?.name == "ops")
        // libzmq cannot cut it off: what it says is still known to be its own.
        try holder.send()
        #expect(try server.nextNumber() == 1)
        #expect(try server.knock(as: .holder(web)) == .refused)
        #expect(try server.knock(as: .holder(ops)) == .admitted)
    }

    @Test func anAddedCredentialIsAdmittedUnderAnUnusedNumber() throws {
        let server = try GuardedServer(Sample.line("web", web, "read"))
        defer { server.end() }
        #expect(try server.knock(as: .holder(ops)) == .refused)
        try server.write(Sample.line("ops", ops, "read a"))
        try waitUntil("it is added") { server.table?.entry(of: number(2))?.name == "ops" }
        let holder = try Holder(ops, server.endpoint)
        try holder.send()
        #expect(try server.nextNumber() == 2)
        #expect(try server.knockLive(as: .holder(ops)) == .refused, "it may read only a part")
        #expect(try server.knockLive(as: .holder(web)) == .refused, "it is revoked")
        try server.write(Sample.line("ops", ops, "relay"))
        try waitUntil("it is a relay") { server.table?.entry(of: number(2))?.rights == .relay }
        #expect(try server.knockLive(as: .holder(ops)) == .admitted)
    }

    @Test func anEntryEndsByItsDateWithoutAChangeOfTheFile() throws {
        let formatter = ISO8601DateFormatter()
        let end = Int(Date().timeIntervalSince1970) + 3
        let text = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(end)))
        let server = try GuardedServer(
            Sample.line("web", web, "read * \(text)") + Sample.line("ops", ops, "read"))
        defer { server.end() }
        #expect(try server.knock(as: .holder(web)) == .admitted)
        #expect(server.table?.entry(of: number(1))?.endsAt == end)
        try waitUntil("it is over") {
            server.table?.entry(of: number(1)) == nil && server.table != nil
        }
        let late = Date().timeIntervalSince1970 - Double(end)
        #expect((0..<2).contains(late), "\(late) s after its end")
        #expect(try server.knock(as: .holder(web)) == .refused)
        #expect(try server.knock(as: .holder(ops)) == .admitted)
    }

    @Test func aListThatBecomesWrongChangesNothingAndIsSaidOnce() throws {
        let right = Sample.line("web", web, "read")
        let server = try GuardedServer(right)
        defer { server.end() }
        try server.write(right + "half a")
        let sentence = "error the last list of keys stays in force: the list of keys "
        try waitUntil("it is said") { server.log.count(sentence) == 1 }
        #expect(server.log.lines.contains { $0.contains("list, line 2: a name, a public key") })
        #expect(try server.knock(as: .holder(web)) == .admitted)
        try FileManager.default.removeItem(atPath: server.folder.path("list"))
        try waitUntil("it is gone") {
            server.log.lines.contains { $0.hasSuffix("read: No such file or directory") }
        }
        #expect(try server.knock(as: .holder(web)) == .admitted)
        try server.write(right)
        try waitUntil("it is well again") {
            server.log.count("notice the list of keys can be read again, and is the same") == 1
        }
        #expect(server.log.count(sentence) == 2)
        #expect(server.told.withLock { $0.count } == 1)
    }

    @Test func anInvalidListFailsTheStart() throws {
        let folder = try TemporaryDirectory()
        let context = try Context(keys: web)
        func start() throws(AccessControlError) {
            _ = try Gatekeeper(
                in: context, listFile: folder.path("list"), logger: LinesLogged().logger
            ) { _ in }
        }
        #expect(
            throws: AccessControlError.unreadableList(
                path: folder.path("list"), reason: "No such file or directory")
        ) { try start() }
        try folder.write("a b", to: "list")
        #expect(
            throws: AccessControlError.wrongList(
                path: folder.path("list"), AccessListProblem(line: 1, reason: .tooFewWords))
        ) { try start() }
    }

    @Test func aContextHasOneGatekeeper() throws {
        let server = try GuardedServer("")
        defer { server.end() }
        do {
            _ = try Gatekeeper(
                in: server.context, listFile: server.folder.path("list"),
                logger: LinesLogged().logger
            ) { _ in }
            Issue.record("there are two")
        } catch AccessControlError.other(let error) {
            #expect(error.isAddressInUse)
        }
    }

    @Test func aStoppedGatekeeperAdmitsNoneAndKeepsOpenConnections() throws {
        let server = try GuardedServer(Sample.line("web", web, "read"))
        defer { server.end() }
        let holder = try Holder(web, server.endpoint)
        try holder.send()
        #expect(try server.nextNumber() == 1)
        server.gatekeeper.stop()
        let outcome = try server.knock(as: .holder(web), patience: .seconds(1))
        #expect(outcome != .admitted, "\(outcome)")
        try holder.send()
        #expect(try server.nextNumber() == 1)
        #expect(server.failures.withLock { $0.isEmpty }, "it was asked to")
    }

    @Test func aContextThatEndsIsNoFailure() throws {
        let server = try GuardedServer("")
        server.context.shutdown()
        server.end()
        #expect(server.failures.withLock { $0.isEmpty })
    }

    @Test func itsOwnStrangersAreNotComplainedAbout() throws {
        let server = try GuardedServer("")
        defer { server.end() }
        try server.gatekeeper.test(
            [(server.endpoint, .data), (server.live, .live)], in: server.context)
        #expect(server.log.count("debug a handshake was refused") == 2)
        #expect(server.log.count("notice a handshake was refused") == 0)
        #expect(try server.knock(as: .stranger) == .refused)
        try waitUntil("others are") { server.log.count("notice a handshake was refused") == 1 }
    }

    @Test func aStrangerRefusedDuringTheStartupTestIsLogged() throws {
        let server = try GuardedServer("")
        defer { server.end() }
        // A door where nobody is holds the test up.
        let (first, second, outside) = (server.endpoint, try nobodysDoor(), try Context())
        let trial = try OwnedThread(name: "trial") { [gatekeeper = server.gatekeeper] in
            do throws(AccessControlError) {
                try gatekeeper.test([(first, .data), (second, .data)], in: outside)
                return false
            } catch {
                return error == .untested(second)
            }
        }
        try waitUntil("the first door is tried") {
            server.log.count("debug a handshake was refused") == 1
        }
        #expect(try server.knock(as: .stranger) == .refused)
        // It is written once the answer is sent.
        try waitUntil("it is complained about") {
            server.log.count("notice a handshake was refused") == 1
        }
        #expect(server.log.count("debug a handshake was refused") == 1)
        #expect(trial.join())
    }

    /// A port that was bound and let go of.
    private func nobodysDoor() throws -> Endpoint {
        let socket = try Socket(Context(), .router)
        return try socket.bind(Endpoint("tcp://127.0.0.1:*")).withServerKey(web.publicKey)
    }

    @Test func aCrowdOfStrangersDoesNotFillTheLog() throws {
        let server = try GuardedServer("")
        defer { server.end() }
        for _ in 0..<AccessLimits.complaintsMax + 4 {
            #expect(try server.knock(as: .stranger) == .refused)
        }
        #expect(server.log.count("notice a handshake was refused") == AccessLimits.complaintsMax)
    }
}
