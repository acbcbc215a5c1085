import CacheConfiguration
import CacheDisk
import Storage
import CacheModel
import CacheNodeCore
import Logging
import Threading
import ZeroMQ

/// The file of one shard's disk tier, as the shard's loop sees it: opened elsewhere, asked here,
/// given up and begun anew.
///
///     begin ──▶ opener's thread ──letter──▶ opened ──▶ attached ──failed─┐
///       ▲                           │ failed                             │
///       └──────────── 30 s ─────────┴────────────────────────────────────┘
struct DiskAttendant: ~Copyable {
    private let setup: DiskSetup
    private let mailbox: Mailbox<ShardLetter>
    private let logger: Logger
    private(set) var storage: FileStorage?
    private var opener: OwnedThread<Void>?
    /// When to try again; `nil` while there is a file, or one is being opened.
    private(set) var retryAt: Instant?
    /// Why what lies there must not be believed.
    private var anew: AnewCause?
    /// The reason that was told last, so that one that lasts is told once.
    private var toldReason = ""
    private var commands: [DiskCommand] = []
    /// When a file was asked for last.
    private var begunAt = Instant(nanoseconds: 0)
    private var watch = DiskWatch(now: Instant(nanoseconds: 0))
    /// Whether the shard has begun without the file that is being opened.
    private var isGivenUp = false
    /// Whether the tier leaves space free, and when it is measured next.
    private var measures = false
    private var measureAt = Instant(nanoseconds: 0)
    private var isRefusalTold = false

    init(_ setup: DiskSetup, mailbox: Mailbox<ShardLetter>, logger: Logger) {
        self.setup = setup
        self.mailbox = mailbox
        self.logger = logger
    }

    private var metadata: Logger.Metadata {
        ["shard": "\(setup.shard)", "path": "\(setup.path)"]
    }

    /// Has the file opened. A message tells the outcome.
    mutating func begin(now: Instant) {
        retryAt = nil
        begunAt = now
        watch = DiskWatch(now: now)
        isGivenUp = false
        let (old, setup, anew, mailbox) = (Handed(storage: storage), setup, anew, mailbox)
        storage = nil
        do {
            opener = try OwnedThread(name: "disk-\(setup.shard)") {
                // Waits for what is still under way there.
                old.storage?.close()
                mailbox.post(.disk(DiskOpener.open(setup, anew: anew)))
            }
        } catch {
            mailbox.post(.disk(.failed(reason: "\(error)")))
        }
    }

    /// A file that is handed from the shard's thread to the one that closes it.
    ///
    /// `@unchecked Sendable`: the shard's thread forgets it before the other begins.
    private struct Handed: @unchecked Sendable {
        let storage: FileStorage?
    }

    /// The opener has ended.
    ///
    /// - Returns: what to attach; `nil` if the shard goes on without.
    mutating func opened(_ outcome: DiskOpener.Outcome, now: Instant) -> OpenedDisk? {
        opener?.join()
        opener = nil
        watch.moved(now: now)
        switch outcome {
        case .opened(let late, _, _, _, _, _) where isGivenUp:
            // What lies there is older than what the shard has stored since.
            storage = late
            begin(now: now)
            return nil
        case .failed(let reason):
            tell(reason)
            retryAt = now.advanced(by: ServerLimits.diskRetryInterval)
            // Until then the shard stores without it: what lies there is older than that.
            anew = anew ?? .unusable(.failed(.device("the shard has begun without it")))
            return nil
        case .opened(let storage, let superblock, let clock, let writtenBy, let cause, let space):
            self.storage = storage
            anew = nil
            note(space)
            var opened = OpenedDisk(
                superblock, tail: storage.tail, clock: clock, writtenBy: writtenBy)
            (opened.space, opened.segmentCount) = (space.rule, space.segmentCount)
            if let cause, cause != .first {
                opened.replacesOther = true
                logger.log(
                    level: cause.isDamage ? .warning : .notice, "the disk tier starts empty",
                    metadata: metadata + ["reason": "\(cause)"])
            }
            return opened
        }
    }

    private mutating func note(_ space: DiskSpace) {
        measures = space.rule != nil
        guard space.isRefused, !isRefusalTold else { return }
        tellRefusal("its file system does not make holes in files")
    }

    /// Once: neither the file system nor the setting changes while the node runs.
    private mutating func tellRefusal(_ reason: String) {
        isRefusalTold = true
        logger.warning(
            """
            disk-free is refused: the disk tier keeps all of its space; put it on ext4 or XFS, or \
            set disk-free to none
            """, metadata: metadata + ["reason": "\(reason)"])
    }

    /// The free space on the tier's file system, measured at most once a second; `nil` if it is
    /// not wanted, not measured yet, or not known. A measurement that waits for the disk holds no
    /// request up.
    mutating func measuredFreeBytes(now: Instant) -> Int? {
        guard measures, let storage else { return nil }
        if now >= measureAt {
            measureAt = now.advanced(by: ServerLimits.diskMeasureInterval)
            storage.measureFreeBytes()
        }
        return storage.takeMeasuredBytes()
    }

    private mutating func tell(_ reason: String) {
        guard reason != toldReason else { return }
        toldReason = reason
        logger.error(
            """
            the shard has no disk tier and goes on with its memory; it is tried again every \
            \(ServerLimits.diskRetryInterval.components.seconds) s
            """, metadata: metadata + ["reason": "\(reason)"])
    }

    /// Acts upon what the shard's core has learned of the tier.
    mutating func handle(_ notice: DiskNotice, now: Instant) {
        switch notice {
        case .open(let entryCount, let place):
            toldReason = ""
            logger.info(
                "disk tier open",
                metadata: metadata + [
                    "entries": "\(entryCount)",
                    "at": "\(place.map { "\($0.mark.position)" } ?? "its beginning")",
                    "reads": storage?.isReadByRing == true ? "ring" : "threads",
                    "after": "\(now.elapsed(since: begunAt).wholeNanoseconds / 1_000_000) ms",
                ])
        case .unusable(let cause):
            anew = .unusable(cause)
            begin(now: now)
        case .failed(let failure):
            tell("\(failure)")
            anew = .unusable(.failed(failure))
            // At once, so that no later run finds the old contents; but not again and again.
            retryAt = begunAt.advanced(by: ServerLimits.diskRetryInterval)
            tick(now: now)
        case .damaged(let segments):
            logger.warning(
                "the disk tier is damaged: what lay in some segments, and before them, is gone",
                metadata: metadata + ["segments": "\(segments)"])
        case .discarded(let cause):
            logger.notice(
                "what the disk tier held is discarded",
                metadata: metadata + ["reason": "\(Self.sentence(cause))"])
        case .room(let bytes, let configured): tell(bytes, of: configured)
        case .spaceKept(let failure):
            if !isRefusalTold { tellRefusal("\(failure)") }
        case .closed: break
        }
    }

    private func tell(_ bytes: Int, of configured: Int) {
        let metadata =
            metadata + [
                "bytes": "\(bytes)", "configured_bytes": "\(configured)",
                "disk_free": "\(setup.settings.leftFreeBytes.map { "\($0)" } ?? "none")",
            ]
        guard bytes < configured else {
            return logger.notice("the disk tier has all of its space again", metadata: metadata)
        }
        logger.notice(
            """
            the disk tier uses less space than configured: its file system is short of it; free \
            some, and the tier grows again as it is written
            """, metadata: metadata)
    }

    private static func sentence(_ cause: DiscardCause) -> String {
        switch cause {
        case .otherLife: "the node has run without it since, or the publisher cannot tell"
        case .otherOwners: "keys have other owners than when it was written"
        }
    }

    /// Tries again if it is time to.
    mutating func tick(now: Instant) {
        if let retryAt, retryAt <= now { begin(now: now) }
    }

    /// Says now and then how far opening the tier has come, and ends it if the disk does nothing.
    mutating func watch(_ core: inout ShardCore, now: Instant) {
        let progress = core.diskProgress
        guard opener != nil && !isGivenUp || core.isDiskAwaited else { return }
        switch watch.look(progress, now: now) {
        case .nothing: break
        case .told:
            logger.info("the disk tier is being opened", metadata: metadata + told(progress))
        case .stands:
            let reason = DiskFailure.device(
                "it has answered nothing for \(ServerLimits.diskPatience.components.seconds) s")
            if opener == nil { return core.diskWasLost(reason, now: now) }
            isGivenUp = true
            anew = .unusable(.failed(reason))
            tell("\(reason)")
            core.goOnWithoutDisk()
        }
    }

    private func told(_ progress: RecoveryProgress?) -> Logger.Metadata {
        guard let progress else { return ["state": "waiting for its file"] }
        return [
            "segments": "\(progress.segmentsRead) of \(progress.segmentCount)",
            "entries": "\(progress.entryCount)",
        ]
    }

    /// Begins what the tier commands.
    mutating func submit(from core: inout ShardCore) {
        core.takeDiskCommands(into: &commands)
        guard !commands.isEmpty else { return }
        storage?.submit(commands)
        commands.removeAll()
    }

    /// Ends the tier in order if it is open, within a bound, and lets go of the file.
    mutating func end(_ core: inout ShardCore) {
        // An opener with a disk that does nothing ends with the process.
        if !isGivenUp { opener?.join() }
        for letter in mailbox.takeAll() {
            if case .disk(.opened(let late, _, _, _, _, _)) = letter { late.close() }
        }
        guard let storage else { return }
        let now = MonotonicClock.now
        let calendar = BootFacts.current.calendarMilliseconds
        if core.closeDisk(calendar: calendar, now: now) {
            let deadline = now.advanced(by: ServerLimits.diskCloseMax)
            if !waitUntilClosed(&core, storage, deadline: deadline) {
                logger.warning(
                    """
                    the disk tier was not ended in order; it is whole for the next start unless \
                    the machine loses its power
                    """, metadata: metadata)
            }
        }
        storage.close()
        self.storage = nil
    }

    private mutating func waitUntilClosed(
        _ core: inout ShardCore, _ storage: FileStorage, deadline: Instant
    ) -> Bool {
        var poller = Poller()
        _ = poller.add(storage.bell)
        while MonotonicClock.now < deadline {
            submit(from: &core)
            do {
                _ = try poller.wait(timeout: deadline.elapsed(since: MonotonicClock.now))
            } catch {
                return false
            }
            core.diskCompleted(storage.takeCompletions(), now: MonotonicClock.now)
            for notice in core.takeDiskNotices() {
                switch notice {
                case .closed: return true
                case .failed, .unusable: return false
                case .open, .damaged, .discarded, .room, .spaceKept: continue
                }
            }
        }
        return false
    }
}

extension Logger.Metadata {
    fileprivate static func + (one: Self, other: Self) -> Self {
        one.merging(other) { _, new in new }
    }
}
