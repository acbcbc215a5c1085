import Foundation
import TestSupport

/// A TLS connection that says what it is given, and then nothing, however it is asked: openssl
/// answers no PING of HTTP/2.
final class TLSClient {
    private let process = Process()
    private let input = Pipe()
    private let shown: URL

    /// - Parameter arguments: of `openssl s_client`, such as `-alpn h2`.
    init(
        to port: UInt16, _ arguments: [String], saying bytes: [UInt8],
        in directory: TemporaryDirectory
    ) throws {
        shown = directory.file("shown-\(UUID().uuidString)")
        try Data().write(to: shown)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-nocommands"] + arguments
        process.standardInput = input
        let output = try FileHandle(forWritingTo: shown)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(bytes))
    }

    /// What it was told, and what openssl says of the connection.
    var text: String {
        get throws { String(decoding: try Data(contentsOf: shown), as: UTF8.self) }
    }

    var isConnected: Bool { process.isRunning }

    func close() {
        if process.isRunning { process.terminate() }
    }
}
