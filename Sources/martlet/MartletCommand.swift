import ArgumentParser

@main
struct MartletCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "martlet")
}
