import CPlatform
import CommandSurface

extension MartletCommand {
    /// Does what the arguments say.
    static func main() async {
        martlet_streams_complete()
        await CommandProgram.run(self, completed(Array(CommandLine.arguments.dropFirst())))
    }

    /// Gives `--respawn` its value where it was left out, which the parser knows no way to say.
    static func completed(_ arguments: [String]) -> [String] {
        arguments.enumerated().map { index, argument in
            let next = index + 1 < arguments.count ? arguments[index + 1] : "-"
            return argument == "--respawn" && next.hasPrefix("-") ? "--respawn=1s" : argument
        }
    }
}
