import NIOCore
import Threading

/// The connections that there are, at most ``HealthLimits/connectionsMax``. When one more comes,
/// the one that has been idle the longest is closed: idle connections never keep others out.
///
///     admitted ──▶ idle ──request──▶ answering ──answer taken──▶ idle ──▶ …
final class ConnectionTable: Sendable {
    private struct Entry: Sendable {
        let channel: any Channel
        /// Since when it waits for a request, as a count of such moments; `nil` while a request is
        /// answered.
        var idleSince: UInt64?
    }

    private struct Content: Sendable {
        var entries: [ObjectIdentifier: Entry] = [:]
        private var moments: UInt64 = 0

        mutating func nextMoment() -> UInt64 {
            moments += 1
            return moments
        }

        /// Takes out the one that has been idle the longest; `nil` if all are being answered.
        mutating func takeOldestIdle() -> (any Channel)? {
            let idle = entries.filter { $0.value.idleSince != nil }
            let oldest = idle.min { $0.value.idleSince ?? 0 < $1.value.idleSince ?? 0 }
            return oldest.flatMap { entries.removeValue(forKey: $0.key)?.channel }
        }
    }

    private let content = Guarded(Content())

    /// - Returns: whether it is admitted; if so, it counts until it is closed.
    func admit(_ channel: any Channel) -> Bool {
        let (isAdmitted, oldest) = content.withLock { content in
            var oldest: (any Channel)?
            if content.entries.count >= HealthLimits.connectionsMax {
                oldest = content.takeOldestIdle()
                guard oldest != nil else { return (false, oldest) }
            }
            let moment = content.nextMoment()
            content.entries[ObjectIdentifier(channel)] = Entry(
                channel: channel, idleSince: moment)
            return (true, oldest)
        }
        oldest?.close(promise: nil)
        guard isAdmitted else { return false }
        let key = ObjectIdentifier(channel)
        channel.closeFuture.whenComplete { [content] _ in
            content.withLock { $0.entries[key] = nil }
        }
        return true
    }

    /// A request of it is being answered: it stays.
    func beginAnswer(_ channel: any Channel) {
        content.withLock { $0.entries[ObjectIdentifier(channel)]?.idleSince = nil }
    }

    /// It waits for a request again.
    func endAnswer(_ channel: any Channel) {
        content.withLock { content in
            let moment = content.nextMoment()
            content.entries[ObjectIdentifier(channel)]?.idleSince = moment
        }
    }
}
