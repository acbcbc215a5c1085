import CacheConfiguration
import CommandSurface

/// Reads a configuration file and keeps its problems apart, so that each can be told by itself.
enum ConfigurationReading {
    /// The configuration that the file at `path` says.
    ///
    /// - Throws: ``ConfigurationErrors`` for what is wrong in it, and ``CommandFailure`` if it
    ///   cannot be read.
    static func read(_ path: String) throws -> ClusterConfiguration {
        try ClusterConfiguration.parse(try bytes(path), fileName: path)
    }

    /// At most one byte more than a configuration may have: a longer file is refused as too long
    /// without reading it to its end.
    static func bytes(_ path: String) throws(CommandFailure) -> [UInt8] {
        do {
            return try FileBytes.first(ConfigurationLimits.fileBytesMax + 1, of: path)
        } catch {
            throw CommandFailure(
                .unusableConfiguration,
                "cannot read \(HarmlessText.line(path)): \(error); check the path")
        }
    }
}
