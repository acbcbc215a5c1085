package import ArgumentParser

/// How the program ends after an error: what it prints where, and its exit code.
package struct CommandEnding: Hashable {
    package var status: Int32
    /// For standard output: help that was asked for.
    package var text = ""
    /// For standard error, one line without the program's name; empty if all was said.
    package var complaint = ""

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

    private init(status: Int32, text: String = "", complaint: String = "") {
        self.status = status
        self.text = text
        self.complaint = complaint
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
