import CacheConfiguration
import CommandSurface

/// A configuration as a file on this machine.
enum ConfigurationFile {
    /// Reads and checks a file as a whole.
    static func read(_ path: String) throws -> ClusterConfiguration {
        do {
            return try ConfigurationReading.read(path)
        } catch let errors as ConfigurationErrors {
            throw CommandFailure(.unusableConfiguration, "\(errors)")
        }
    }
}
