import CacheConfiguration
import CommandSurface
import Foundation

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
    private static func bytes(_ path: String) throws(CommandFailure) -> [UInt8] {
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            let data = try handle.read(upToCount: ConfigurationLimits.fileBytesMax + 1)
            try handle.close()
            return Array(data ?? Data())
        } catch {
            throw CommandFailure(
                .unusableConfiguration,
                "cannot read \(HarmlessText.line(path)): \(reason(error)); check the path")
        }
    }

    private static func reason(_ error: any Error) -> String {
        let error = error as NSError
        if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError,
            cause.domain == NSPOSIXErrorDomain
        {
            return String(cString: strerror(Int32(cause.code)))
        }
        if error.domain == NSPOSIXErrorDomain {
            return String(cString: strerror(Int32(error.code)))
        }
        return HarmlessText.line(error.localizedDescription)
    }
}
