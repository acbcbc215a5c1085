import Subprocess

/// Programs that tests need and that a machine may not have.
enum Programs {
    /// Whether `words` can be run, and end well.
    static func succeeds(_ words: [String]) async -> Bool {
        do {
            let result = try await Subprocess.run(
                .name(words[0]), arguments: Arguments(Array(words.dropFirst())),
                output: .discarded)
            return result.terminationStatus.isSuccess
        } catch {
            return false
        }
    }

    /// Whether this machine has nginx.
    @Sendable static func haveNginx() async -> Bool { await succeeds(["nginx", "-v"]) }
    @Sendable static func haveOpenSSL() async -> Bool { await succeeds(["openssl", "version"]) }
}
