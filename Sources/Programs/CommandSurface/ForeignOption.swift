/// Options as other programs call them: users of redis-cli, memtier or wrk type them here.
package enum ForeignOption {
    /// What they are called here, in the commands that have them.
    private static let names: [String: [String]] = [
        "--cluster": [
            "--address", "--connect", "--endpoint", "--endpoints", "--host", "--port",
            "--publisher", "--server", "--servers", "--url",
        ],
        "--concurrency": ["--depth", "--in-flight", "--pipeline"],
        "--connections": ["--clients"],
        "--duration": ["--test-time"],
        "--keys": ["--key-maximum", "--keyspace"],
        "--mix": ["--ratio"],
        "--ttl": ["--ex", "--expire", "--expiry", "--px"],
        "--value": ["--data-size", "--value-size"],
    ]

    /// What to say instead of `message`, which may guess at an option that is only spelt alike.
    ///
    /// - Parameter help: of the command: only what it has is named.
    /// - Returns: `nil` if `message` is of something else, or the option is no other program's.
    package static func sentence(insteadOf message: String, help: String) -> String? {
        guard let typed = message.firstMatch(of: /^Unknown option '(--[a-z-]+)'/)?.1,
            let own = names.first(where: { $0.value.contains(String(typed)) })?.key,
            help.contains("\n  \(own) ")
        else { return nil }
        return "Unknown option '\(typed)', here it is '\(own)'"
    }
}
