import ArgumentParser
import CommandSurface

/// `martlet completion SHELL`
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print a script that completes commands in a shell.",
        discussion: """
            Commands, flags and files are completed, and so are node ids and namespaces: those of \
            the cluster that --cluster or MARTLET_CLUSTER names, if it answers within half a second.

              martlet completion bash > ~/.local/share/bash-completion/completions/martlet
              martlet completion zsh > ~/.zsh/completions/_martlet
              martlet completion fish > ~/.config/fish/completions/martlet.fish
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash
        case zsh
        case fish
    }

    @Argument(help: "Which shell reads it.")
    var shell: Shell

    var script: String {
        let script = MartletCommand.completionScript(for: Self.known(shell))
        return script.hasSuffix("\n") ? script : script + "\n"
    }

    func run() throws { try Console.write(script) }

    private static func known(_ shell: Shell) -> CompletionShell {
        switch shell {
        case .bash: .bash
        case .zsh: .zsh
        case .fish: .fish
        }
    }
}
