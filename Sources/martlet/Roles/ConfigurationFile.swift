import CacheConfiguration
import CommandSurface
import Foundation

/// A configuration as a file on this machine.
enum ConfigurationFile {
    /// Reads and checks a file as a whole.
    static func read(_ path: String) throws -> ClusterConfiguration {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure(
                .unusableConfiguration, "\(path) cannot be read: \(error.localizedDescription)")
        }
        do {
            return try ClusterConfiguration.parse([UInt8](data), fileName: path)
        } catch {
            throw CommandFailure(.unusableConfiguration, "\(error)")
        }
    }
}
