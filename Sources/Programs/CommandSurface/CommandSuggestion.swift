import ArgumentParser
import CacheModel

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
