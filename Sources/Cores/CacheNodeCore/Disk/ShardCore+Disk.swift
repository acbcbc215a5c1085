package import CacheDisk
import CacheMemory
package import CacheModel

/// What the shell reports of the disk tier, and asks of it. The tier itself is in ``EntryStore``.
extension ShardCore {
    /// Where this shard is in the publisher's log.
    private var place: RecoveredPlace { RecoveredPlace(log: log.id, mark: log.applied) }

    package var isDiskAwaited: Bool { entries.isDiskAwaited }

    /// How far the tier has come with what an earlier run left; `nil` unless it is at it.
    package var diskProgress: RecoveryProgress? { entries.disk?.tier.recoveryProgress }

    /// The shell has opened the tier's file.
    ///
    /// A new one begins empty. Of one that goes on everything is read first; until then no request
    /// about keys is answered.
    package mutating func attachDisk(_ opened: OpenedDisk, now: Instant) {
        entries.attach(
            opened, at: place, epochOrdinal: log.epochOrdinal, namespaces, now: now)
        takeDiskEvents(now: now)
    }

    /// There is no file, or none that can be used now: the shard goes on with its memory.
    package mutating func goOnWithoutDisk() { entries.goOnWithoutDisk() }

    /// The file has become useless: its tail is not the disk's any more.
    package mutating func diskWasLost(_ failure: DiskFailure, now: Instant) {
        guard entries.disk != nil else { return }
        entries.failDisk(failure)
        takeDiskEvents(now: now)
    }

    /// So much is free on the file system of the tier now; once a second at most.
    package mutating func noteDiskFreeBytes(_ bytes: Int) {
        entries.disk?.tier.noteFreeBytes(bytes)
    }

    /// Ends the tier in order. ``DiskNotice/closed`` follows, unless it fails or was not open.
    ///
    /// - Parameter calendar: milliseconds since 1970, now.
    /// - Returns: whether it was open.
    package mutating func closeDisk(calendar: UInt64, now: Instant) -> Bool {
        entries.closeDisk(at: place, calendar: calendar, now: now)
    }

    /// What the file has to do, in this order.
    package mutating func takeDiskCommands(into commands: inout [DiskCommand]) {
        entries.takeCommands(into: &commands)
    }

    package mutating func takeDiskNotices() -> [DiskNotice] { entries.takeNotices() }

    /// The file has carried out what the tier commanded, or could not.
    package mutating func diskCompleted(_ completions: [DiskCompletion], now: Instant) {
        guard entries.disk != nil else { return }
        entries.completed(completions, now: now)
        takeDiskEvents(now: now)
    }

    mutating func tickDisk(now: Instant) {
        guard entries.disk != nil else { return }
        entries.tickDisk(at: place, &namespaces, now: now)
        takeDiskEvents(now: now)
    }

    /// What the tier has reported is handled first: it may be open then.
    private mutating func takeDiskEvents(now: Instant) {
        for event in entries.takeEvents(at: log.applied, &namespaces, now: now) {
            switch event {
            case .readEnded(let requests): for id in requests { waiting.readDisk(id) }
            case .recovered(let place): log.recover(place.log, at: place.mark, now: now)
            case .lost: waiting.loseDisk()
            }
        }
        entries.noteOpening(at: place, in: cluster)
    }

    /// The node begins at this mark, or as a new one. If another shard's tier was not so far, this
    /// one is told some records again. What the publisher vouches for is that mark, and not this
    /// shard's own.
    ///
    /// A node that begins as a new one claims no place, so a publisher without its log may go on
    /// before the one that this shard recovered: nothing must have been answered from there.
    package mutating func resume(at mark: LogMark?, now: Instant) {
        guard log.resume(at: mark, now: now) else { return }
        entries.resume(at: log.applied, isNew: mark == nil)
    }

    /// The publisher has named the run of this node that it knows as the last one before this.
    package mutating func setLastLife(_ incarnation: Incarnation) {
        entries.setLastRun(incarnation, in: cluster, at: log.applied)
    }
}
