import CacheConfiguration
import CacheDisk
import CacheModel
import Storage
import Threading

/// Opens a tier's file, on a thread of its own: reserving it, and waiting for a disk that is in
/// trouble, takes as long as it takes.
enum DiskOpener {
    /// What became of it.
    ///
    /// `@unchecked Sendable`: `storage` belongs to one thread at a time. The opener's lets go of it
    /// when it posts this, and the shard's takes it from the message.
    enum Outcome: @unchecked Sendable {
        case opened(
            FileStorage, Superblock, TierClock, writtenBy: Incarnation?, AnewCause?, DiskSpace)
        case failed(reason: String)
    }

    /// - Parameter reason: why what lies there must not be believed, whatever it says; `nil` if
    ///   nothing is known against it.
    static func open(_ setup: DiskSetup, anew reason: AnewCause?) -> Outcome {
        do throws(DiskFileError) {
            guard let geometry = setup.geometry else {
                return .failed(reason: "no disk tier has \(setup.settings.bytes) bytes")
            }
            let storage = try FileStorage(setup.path, options: setup.options)
            do throws(DiskFileError) {
                return try prepare(storage, geometry, setup, reason)
            } catch {
                storage.close()
                throw error
            }
        } catch {
            return .failed(reason: "\(error)")
        }
    }

    private static func prepare(
        _ storage: FileStorage, _ geometry: DiskGeometry, _ setup: DiskSetup, _ reason: AnewCause?
    ) throws(DiskFileError) -> Outcome {
        let facts = BootFacts.current
        guard let machine = TierMachineFacts(facts, storage.imprint) else {
            storage.close()
            return .failed(reason: "the system does not name its boots")
        }
        let owner = TierOwner(
            node: setup.node, shard: UInt16(setup.shard), of: UInt16(setup.shardCount),
            machine: machine, geometry: geometry)
        let incarnation = setup.incarnation.rawValue
        var opening =
            reason.map { .anew($0) } ?? DiskOpening.judge(storage.head, for: owner)
        if case .resume = opening, storage.sizeBytes != geometry.fileBytes {
            opening = .anew(.unusable(.failed(.cut)))
        }
        let space = DiskSpace(setup, storage, geometry)
        switch opening {
        case .anew(let cause):
            try storage.prepare(geometry, anew: true, segments: space.segmentCount)
            var generator = SystemRandomNumberGenerator()
            let clock = TierClock(startingAt: facts.now)
            var superblock = Superblock(
                for: owner, tier: generator.next(), incarnation: incarnation)
            superblock.clockBase = clock.base
            return .opened(storage, superblock, clock, writtenBy: nil, cause, space)
        case .resume(let found):
            try storage.prepare(geometry, anew: false, segments: space.segmentCount)
            let clock = TierClock(
                continuing: found, boot: machine.boot, now: facts.now,
                calendar: facts.calendarMilliseconds)
            return .opened(
                storage, found.opened(by: incarnation, on: machine, clock), clock,
                writtenBy: Incarnation(found.incarnation), nil, space)
        }
    }
}

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
