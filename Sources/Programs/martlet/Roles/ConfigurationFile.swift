import CacheConfiguration
import CommandSurface
import SystemPackage

/// A configuration as a file on this machine.
enum ConfigurationFile {
    static func read(_ path: String) throws -> ClusterConfiguration {
        try CommandFailure.wrapping { try ConfigurationReading.read(path) }
    }
}

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

/// What a file begins with, for files that have a greatest length: so nothing without an end, such
/// as `/dev/zero`, is read for ever.
enum FileBytes {
    private static let bytesAtATime = 64 << 10

    /// The first `count` bytes of the file at `path`; fewer if it has no more.
    ///
    /// - Throws: `Errno`. A pipe is waited for.
    static func first(_ count: Int, of path: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: min(count, bytesAtATime))
            while bytes.count < count {
                let taken = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
                if taken == 0 { break }
                bytes += buffer[..<min(taken, count - bytes.count)]
            }
            return bytes
        }
    }
}
