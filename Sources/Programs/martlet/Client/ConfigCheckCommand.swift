import ArgumentParser
import CacheConfiguration
import CommandSurface

/// `martlet config check FILE`
struct ConfigCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration file for errors.",
        discussion: """
            Every problem at once, as FILE:LINE:COLUMN on standard error, and then exit code 78.

              martlet config check cluster.yaml
            """)

    @Argument(help: "The file.")
    var file: String

    @Flag(help: "Write one JSON object.")
    var json = false

    func run() throws {
        let outcome: Result<ClusterConfiguration, ConfigurationErrors>
        do {
            outcome = .success(try ConfigurationReading.read(file))
        } catch let problems as ConfigurationErrors {
            outcome = .failure(problems)
        }
        try ConfigurationCheck(outcome).output(.chosen(isJSON: json)).finish()
    }
}
