import CacheConfiguration
import CacheDisk
import Storage
import CacheModel

/// Which file a shard's disk tier has, and how large it is to be.
struct DiskSetup: Sendable {
    var node: NodeID
    var shard: Int
    var shardCount: Int
    var incarnation: Incarnation
    var settings: DiskSettings

    var path: String { FileStorage.path(in: settings.directory, shard: shard) }

    /// How the file is divided; `nil` for a size that none can have.
    var geometry: DiskGeometry? { .fitting(settings.bytes / shardCount) }

    var options: FileStorageOptions {
        var options = FileStorageOptions()
        if settings.reads == .ring { options.engine = .ring }
        return options
    }
}
