import NIOCore
import NIOPosix
import Subprocess
import TestSupport

/// A real web server, run by a test for itself.
///
/// A shell watches over it: it kills the server when its own input says so or ends, so that the
/// server goes with the test even when the test's process is killed.
struct Nginx {
    private typealias Execution = Subprocess.Execution<
        CustomWriteInput, DiscardedOutput, SequenceOutput
    >

    private static let watch = """
        "$@" & child=$!
        read -r line
        kill -9 $child
        wait $child
        """

    private struct PortTaken: Error {}

    /// What the server says on standard error; can be read once.
    private final class Complaints {
        private var parts: SubprocessOutputSequence.Iterator

        init(_ parts: SubprocessOutputSequence) { self.parts = parts.makeAsyncIterator() }

        func next() async throws -> String? {
            try await parts.next()?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
    }

    let folder: TemporaryDirectory
    let port: Int
    private let execution: Execution
    private let complaints: Complaints

    var url: String { "http://127.0.0.1:\(port)/files/{+key}" }

    /// Runs `body` with a server of `folder`/files, and ends it whatever happens.
    ///
    /// - Parameters:
    ///   - tls: a certificate and its key in `folder`: the server then speaks TLS.
    ///   - settings: more lines of its server.
    static func with(
        _ folder: TemporaryDirectory, tls: (certificate: String, key: String)? = nil,
        settings: String = "", body: (Nginx) async throws -> Void
    ) async throws {
        // A free port may be gone when the server takes it.
        for _ in 0..<10 {
            let port = try await freePort()
            let text = configuration(folder, port: port, tls: tls, settings)
            try folder.write(Array(text.utf8), to: "nginx.conf")
            let words = [
                "-c", watch, "sh", "nginx", "-p", folder.path, "-c", folder.path + "/nginx.conf",
                "-e", "stderr",
            ]
            let result = try await Subprocess.run(
                .name("sh"), arguments: Arguments(words), input: .inputWriter,
                output: .discarded, error: .sequence
            ) { execution in
                let nginx = Nginx(
                    folder: folder, port: port, execution: execution,
                    complaints: Complaints(execution.standardError))
                guard try await nginx.isListening() else { return false }
                try await body(nginx)
                return true
            }
            if result.closureResult { return }
        }
        throw PortTaken()
    }

    /// Waits for what it says after it has bound its port, or could not.
    private func isListening() async throws -> Bool {
        var text = ""
        while let part = try await complaints.next() {
            text += part
            if text.contains("using the \"epoll\"") { return true }
            if text.contains("[emerg]") { return false }
        }
        return false
    }

    /// Ends it at once, as a power cut would; returns when it is gone.
    func kill() async throws {
        _ = try await execution.standardInputWriter.write("end\n")
        try await execution.standardInputWriter.finish()
        while try await complaints.next() != nil {}
    }

    private static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        defer { channel.close(promise: nil) }
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }

    private static func configuration(
        _ folder: TemporaryDirectory, port: Int, tls: (certificate: String, key: String)?,
        _ settings: String
    ) -> String {
        let path = folder.path
        let secrets = tls.map { tls in
            "ssl_certificate \(path)/\(tls.certificate); ssl_certificate_key \(path)/\(tls.key);"
        }
        return """
            daemon off;
            master_process off;
            pid \(path)/pid;
            error_log stderr notice;
            events { worker_connections 1024; }
            http {
                access_log off;
                sendfile on;
                keepalive_requests 100000000;
                client_body_temp_path \(path)/t1; proxy_temp_path \(path)/t2;
                fastcgi_temp_path \(path)/t3; uwsgi_temp_path \(path)/t4; scgi_temp_path \(path)/t5;
                server {
                    listen 127.0.0.1:\(port) backlog=1024 \(tls == nil ? "" : "ssl");
                    \(secrets ?? "") \(settings)
                    root \(path);
                    location /slow/ { alias \(path)/files/; limit_rate 64k; }
                    location /moved/ { return 302 /files/small; }
                    location /busy/ { add_header Retry-After 7 always; return 503; }
                    location /connections { stub_status; }
                }
            }
            """
    }
}
