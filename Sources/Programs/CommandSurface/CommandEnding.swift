package import ArgumentParser
import CacheModel

/// How the program ends after an error: what it prints where, and its exit code.
package struct CommandEnding: Hashable {
    package var status: Int32
    /// For standard output: help that was asked for.
    package var text = ""
    /// For standard error, one line without the program's name; empty if all was said.
    package var complaint = ""
}

extension CommandEnding {
    /// What `error`, thrown while reading or doing the command in `arguments`, means.
    package init(_ error: any Error, of root: any ParsableCommand.Type, arguments: [String]) {
        if let failure = error as? CommandFailure {
            self.init(status: failure.status.rawValue, complaint: failure.sentence)
            return
        }
        let code = root.exitCode(for: error)
        switch code {
        case .success: self.init(status: code.rawValue, text: root.fullMessage(for: error) + "\n")
        case .validationFailure:
            let (name, command) = Self.command(of: root, arguments)
            let read = Self.shortened(root.message(for: error), arguments)
            let help = root.helpMessage(for: command, columns: 80)
            let message =
                ForeignOption.sentence(insteadOf: read, help: help)
                ?? CommandSuggestion.sentence(insteadOf: read, after: command, name, arguments)
                ?? read
            self.init(
                status: ExitStatus.wrongUsage.rawValue,
                complaint: message.isEmpty ? "" : "\(message) (see \(name) --help)")
        case _ where error is ExitCode: self.init(status: code.rawValue)
        default:
            self.init(
                status: ExitStatus.bug.rawValue,
                complaint: "this should not happen, please report it: "
                    + HarmlessText.line(String(describing: error)))
        }
    }

    /// The command as far as it was named: `martlet config check`.
    private static func command(
        of root: any ParsableCommand.Type, _ arguments: [String]
    ) -> (name: String, type: any ParsableCommand.Type) {
        var command = root
        var names = [root._commandName]
        for argument in arguments {
            guard
                let next = command.configuration.subcommands.first(where: {
                    $0._commandName == argument
                })
            else { break }
            command = next
            names.append(argument)
        }
        return (names.joined(separator: " "), command)
    }

    /// `message` on one line, with long or strange arguments cut: a wrong key may have a megabyte.
    private static func shortened(_ message: String, _ arguments: [String]) -> String {
        let limit = 60
        var message = message
        let values = arguments.compactMap { argument in
            argument.firstIndex(of: "=").map { String(argument[argument.index(after: $0)...]) }
        }
        for text in arguments + values where text.count > limit {
            message = message.replacing(text, with: text.prefix(limit) + "…")
        }
        return HarmlessText.line(message)
    }
}

/// Commands that were misspelt, or are called otherwise by other programs.
enum CommandSuggestion {
    /// What users of redis-cli and memcached type, and what it is called here.
    private static let foreign: [String: String] = [
        "add": "set", "del": "delete", "expire": "touch", "flush": "invalidate all",
        "flush_all": "invalidate all", "flushall": "invalidate all", "flushdb": "invalidate all",
        "fetch": "get", "info": "status", "keys": "scan", "list": "scan", "ls": "scan",
        "monitor": "tail", "mget": "get", "ping": "status", "purge": "invalidate", "put": "set",
        "read": "get", "remove": "delete", "replay": "trace", "rm": "delete", "server": "up",
        "setex": "set", "start": "up", "stats": "status", "store": "set", "stop": "drain",
        "subscribe": "tail", "ttl": "explain", "unlink": "delete", "version": "--version",
        "write": "set",
    ]

    /// What to say instead of `message`, which calls a command an unexpected argument.
    ///
    /// - Parameters:
    ///   - command: after which the word stands.
    ///   - name: of that command, in full.
    ///   - arguments: all of them; they begin with that name, but for the program's.
    /// - Returns: `nil` if `command` has no commands of its own, or no word was unexpected.
    static func sentence(
        insteadOf message: String, after command: any ParsableCommand.Type, _ name: String,
        _ arguments: [String]
    ) -> String? {
        let listed = command.configuration.subcommands.filter {
            $0.configuration.shouldDisplay
        }
        let names = listed.map { $0._commandName }
        let depth = name.count { $0 == " " }
        guard !names.isEmpty, message.lowercased().contains("unexpected argument"),
            let typed = arguments.dropFirst(depth).first(where: { !$0.hasPrefix("-") })
        else { return nil }
        let word = typed.lowercased()
        let isRoot = depth == 0
        let meant = NearestName.find(word, among: names) ?? (isRoot ? foreign[word] : nil)
        let shown = "'\(HarmlessText.line(String(typed.prefix(60))))'"
        guard let meant else { return "Unexpected argument \(shown): there is no such command" }
        return "Unexpected argument \(shown). Did you mean '\(name) \(meant)'?"
    }
}

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
