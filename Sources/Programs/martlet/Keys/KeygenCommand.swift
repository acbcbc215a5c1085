import AccessControl
import ArgumentParser
import CacheAccess
import ByteCoding
import CommandSurface
import ZeroMQ
import LibC

/// `martlet keygen NAME`: a key, in a file that only its owner may read.
struct KeygenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen",
        abstract: "Make a key for a node, a publisher, a program or a person.",
        discussion: """
            Writes NAME.key, with both halves, which is a secret, and prints the public half. \
            A server admits the public keys in its list; --list adds this one.

            Examples:
              martlet keygen web --roles read,write --patterns sessions --list allow-list
              martlet keygen n1 --roles node --list allow-list
              martlet keygen batch --roles read --limit ops=2000/s --list allow-list
              martlet keygen publisher
            """)

    @Argument(help: "For people, logs and, of a node, its id: 1 to 64 of a-z A-Z 0-9 . _ -")
    var name: String

    @Option(help: .value("file", "Where the key goes. (default: NAME.key)"))
    var out: String?

    @Option(
        help: .value(
            "role[,...]", "What it may do: read, write, invalidate, metrics, admin, node, relay."))
    var roles: String?

    @Option(
        help: .value(
            "pattern[,...]",
            "Where: *, a namespace, team-* or namespace/beginning-of-keys. (default: *)"))
    var patterns: String?

    @Option(help: .value("date", "Until when: 2027-01-31. (default: for ever)"))
    var until: String?

    @Option(
        help: .value(
            "limit",
            """
            How much it may ask of each shard and of the publisher, once for each of \
            ops=5000/s, bytes=20MiB/s, waiting=500. (default: as much as it wants)
            """))
    var limit: [String] = []

    @Option(help: .value("file", "Add a line for the key to this list."))
    var list: String?

    @Flag(help: "Write JSON: one object.")
    var json = false

    func run() throws { try make().finish() }

    /// Makes the key, and says what there is to say.
    func make() throws -> CommandOutput {
        guard AccessEntry.isName(name) else {
            throw CommandFailure(
                .wrongUsage, "NAME has 1 to 64 of the characters a-z A-Z 0-9 . _ -")
        }
        let isForList = list != nil || patterns != nil || until != nil || !limit.isEmpty
        guard roles != nil || !isForList else {
            throw CommandFailure(
                .wrongUsage, "--roles is missing: what may the holder of the key do?")
        }
        let path = out ?? "\(name).key"
        return try CommandFailure.wrapping {
            let pair = try CurveKeyPair.generate()
            let line = try line(pair)
            // The list is tried before the key is written, and written after it: a line for a key
            // that does not exist would be of no use.
            let file = try list.map { try AllowListFile($0, adding: line ?? "") }
            try KeyFile.write(pair, of: name, to: path)
            do throws(CommandFailure) {
                try file?.write()
            } catch {
                // No list names it, and it would be in the way of the next try.
                unlink(path)
                throw error
            }
            return report(pair, path, line)
        }
    }

    /// The line of a list, checked; `nil` if no roles were given.
    private func line(_ pair: CurveKeyPair) throws -> String? {
        guard let roles else { return nil }
        var words = [name, "\(pair.publicKey)", roles]
        if patterns != nil || until != nil { words.append(patterns ?? "*") }
        if let until { words.append(until) }
        words += limit
        let line = words.joined(separator: "  ")
        do throws(AccessListProblem) {
            let list = try AccessList(parsing: line)
            guard list.entries.count == 1 else {
                throw AccessListProblem(line: 0, reason: .tooManyWords)
            }
            return line
        } catch {
            throw CommandFailure(.wrongUsage, error.reason.sentence)
        }
    }

    private func report(
        _ pair: CurveKeyPair, _ path: String, _ line: String?
    ) -> CommandOutput {
        var output = CommandOutput()
        if json {
            output.writeLine(
                .object([
                    ("name", .text(name)), ("file", .text(path)),
                    ("public_key", .text("\(pair.publicKey)")),
                    ("line", line.map { .text($0) } ?? .null),
                    ("list", list.map { .text($0) } ?? .null),
                ]))
            return output
        }
        output.writeLine("\(pair.publicKey)")
        output.complaints.append(
            "\(path) is the key of \(name), and a secret; above is its public half"
                + (list.map { ", which \($0) has now" } ?? ""))
        return output
    }
}
