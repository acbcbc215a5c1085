import ArgumentParser
import Foundation

extension MartletCommand {
    /// Does what the arguments say. Every error of every command ends here: as at most one line on
    /// standard error, and one of the codes of ``ExitStatus``.
    static func main() async {
        // The parser knows no option whose value may be left out; `--respawn` is the only one.
        let arguments = CommandLine.arguments.dropFirst().map {
            $0 == "--respawn" ? "--respawn=1s" : $0
        }
        do {
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(CommandEnding(error, of: Self.self, arguments: arguments))
        }
    }

    private static func end(_ ending: CommandEnding) -> Never {
        if !ending.complaint.isEmpty { Console.complain(ending.complaint) }
        do {
            try Console.write(ending.text)
        } catch {
            Console.complain(error.sentence)
            Foundation.exit(error.status.rawValue)
        }
        Foundation.exit(ending.status)
    }
}
