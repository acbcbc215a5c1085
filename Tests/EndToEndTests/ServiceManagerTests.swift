import Foundation
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// Roles that a service manager has started, and what they say to it.
    @Suite(.serialized) struct ServiceManagerTests {
        /// A role is said to be well once all of its threads have answered, each time anew.
        private static func expectLife(
            of arguments: [String], in directory: TemporaryDirectory
        ) async throws {
            let name = arguments[0]
            let socket = try DatagramSocket(at: directory.file("\(name).notify").path)
            defer { socket.remove() }
            let role = try RunningProgram(
                arguments, name: name, in: directory.url,
                environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "300000"])
            defer { role.kill() }
            try #require(socket.received() == "READY=1", "\(role.errors)")
            for _ in 0..<3 {
                try #require(socket.received() == "WATCHDOG=1", "\(role.errors)")
            }
            role.signal(SIGTERM)
            var last = socket.received()
            while last == "WATCHDOG=1" { last = socket.received() }
            #expect(last == "STOPPING=1", "\(role.errors)")
            #expect(try await role.ended() == 0, "\(role.errors)")
        }

        private static let publisher = [
            "publisher", "--bind", "tcp://127.0.0.1:*", "--live", "tcp://127.0.0.1:*",
        ]
        /// Nobody is there: a node is well, and tries again.
        private static let node = ["node", "--id", "n1", "--shards", "3", "--publisher"]

        @Test func rolesWithoutKeysAreWell() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            try await Self.expectLife(of: Self.publisher, in: directory)
            try await Self.expectLife(of: Self.node + ["tcp://127.0.0.1:9"], in: directory)
        }

        @Test func rolesWithKeysAreWell() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let list = directory.file("allow-list").path
            let key = directory.file("n1.key").path
            let made = try await Program.run([
                "keygen", "n1", "--out", key, "--roles", "node", "--list", list,
            ])
            #expect(made.code == 0, "\(made)")
            let access = ["--key", key, "--allow-list", list]
            let there = "tcp://127.0.0.1:9?key=" + made.output.prefix(64)
            try await Self.expectLife(of: Self.publisher + access, in: directory)
            try await Self.expectLife(of: Self.node + [there] + access, in: directory)
        }
    }
}
