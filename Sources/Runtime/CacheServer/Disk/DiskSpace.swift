import CacheConfiguration
import CacheDisk
import Storage

/// How much of its file system a tier leaves free, and with how much it begins.
struct DiskSpace: Equatable {
    /// `nil`: it keeps all of its bytes.
    var rule: DiskSpaceRule?
    /// How many segments have room if the file is made anew; `nil` for all.
    var segmentCount: Int?
    /// A limit is set, and the file system makes no holes in files.
    var isRefused = false

    /// - Parameter storage: is open, and not prepared yet.
    init(_ setup: DiskSetup, _ storage: FileStorage, _ geometry: DiskGeometry) {
        guard let leftFree = setup.settings.leftFreeBytes else { return }
        guard storage.canRelease else {
            isRefused = true
            return
        }
        let rule = DiskSpaceRule(leftFreeBytes: leftFree, shardCount: setup.shardCount)
        self.rule = rule
        // Where the file system does not tell, there is no telling that it is short.
        segmentCount =
            storage.freeBytes.map { free in
                let directory = setup.settings.directory
                let own = TierDirectory.roomBytes(in: directory, shardCount: setup.shardCount)
                let ofFile = TierDirectory.roomBytes(in: directory, shard: setup.shard)
                return rule.segmentCount(
                    freeBytes: free, nodeBytes: own, fileBytes: ofFile, geometry)
            } ?? geometry.segmentCount
    }
}
