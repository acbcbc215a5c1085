import Foundation

/// One member of etcd in a directory of its own, for as long as this lives.
package final class EtcdServer {
    package static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/etcd")

    private let directory: TemporaryDirectory
    private var process = Process()
    private let ports: (client: UInt16, peer: UInt16)

    package var endpoint: String { "http://127.0.0.1:\(ports.client)" }

    /// Starts it, and returns once it answers.
    package init() async throws {
        directory = try TemporaryDirectory("etcd")
        ports = (try TCPSocket.freePort(), try TCPSocket.freePort())
        try await start()
    }

    /// Also ends one that is stopped, as by a test that failed between ``pause()`` and
    /// ``resume()``: it would not hear any other signal, and be waited for without end.
    deinit {
        if process.isRunning { kill() }
        directory.remove()
    }

    package func start() async throws {
        let peer = "http://127.0.0.1:\(ports.peer)"
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/etcd")
        process.arguments = [
            "--name", "m1", "--data-dir", directory.path + "/data",
            "--listen-client-urls", endpoint, "--advertise-client-urls", endpoint,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", "m1=\(peer)", "--log-level", "error",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await eventually("etcd answers", within: .seconds(30)) { try self.control("get", "x") }
    }

    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    package func pause() { Foundation.kill(process.processIdentifier, SIGSTOP) }
    package func resume() { Foundation.kill(process.processIdentifier, SIGCONT) }

    /// Runs etcdctl.
    ///
    /// - Returns: whether it succeeded.
    @discardableResult
    package func control(_ arguments: String...) throws -> Bool {
        let control = Process()
        control.executableURL = URL(fileURLWithPath: "/usr/bin/etcdctl")
        control.arguments = ["--endpoints", endpoint, "--command-timeout=2s"] + arguments
        control.environment = ["ETCDCTL_API": "3"]
        control.standardOutput = FileHandle.nullDevice
        control.standardError = FileHandle.nullDevice
        try control.run()
        control.waitUntilExit()
        return control.terminationStatus == 0
    }
}
