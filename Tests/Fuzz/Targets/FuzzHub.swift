import CacheAccess
import CacheModel

@testable import GatewayCore

/// A hub, the log that it is told of, and readers that hold what they hear against that log: no
/// record that concerns one is passed over in silence, or told twice, or with words that it may
/// not see.
struct FuzzHub {
    private static let subscribersMax = 6
    private static let ringRecords = 5

    var hub: PushHub
    var now = Instant(nanoseconds: 1_000_000_000)
    var log = FuzzLog()
    /// What the hub was told since it last lost the log, in order.
    private(set) var known: [InvalidationRecord] = []
    /// Where that ends.
    private var end = LogPosition.none
    private var readers: [SubscriberID: FuzzReader] = [:]

    init(isFollowedFromStart: Bool, isHasty: Bool) {
        let ring = RecordRing(after: .none, recordsMax: Self.ringRecords)
        hub = PushHub(subscribersMax: Self.subscribersMax, ring: ring)
        if isHasty { hub.replayBytesAhead = 200 }
        guard isFollowedFromStart else { return }
        hub.follows(after: log.head.position)
        end = log.head.position
    }

    // MARK: The log

    mutating func receive(_ record: InvalidationRecord) {
        // Of a log that is followed from its head, the first is where it begins.
        let isFirst = end == .none && !hub.isReady
        if record.position > end {
            end = record.position
            if !isFirst { known.append(record) }
        }
        perform { $0.received(record, now: $1, into: &$2) }
    }

    mutating func lose(continuingAfter position: LogPosition) {
        // A log that begins where the old one ended has lost nothing.
        let isSame = hub.isReady && position == end
        perform { $0.lost(continuingAfter: position, now: $1, into: &$2) }
        if !isSame { known = [] }
        end = position
    }

    mutating func beat(_ head: LogPosition, isPartial: Bool) {
        perform { $0.beat(head: head, isPartial: isPartial, now: $1, into: &$2) }
        if end == .none { end = hub.position ?? end }
    }

    // MARK: Readers

    mutating func subscribe(_ subscription: PushSubscription) {
        var actions: [PushAction] = []
        do throws(PushRefusal) {
            let id = try hub.subscribe(subscription, now: now, into: &actions)
            check(readers[id] == nil, "nobody has the number of another")
            readers[id] = FuzzReader(subscription)
            obey(actions)
        } catch {
            check(error.code == .full || error.code == .stopping, "who may come is let in")
            check(actions.isEmpty, "who is not let in is told nothing")
        }
    }

    /// Of one of those who are there.
    mutating func leave(_ choice: UInt8) {
        guard let id = chosen(choice) else { return }
        hub.unsubscribe(id)
        readers[id] = nil
        hub.unsubscribe(id)
    }

    /// One reads some of what waits for it.
    mutating func read(_ choice: UInt8, share: UInt8) {
        guard let id = chosen(choice), let waiting = readers[id]?.waitingBytes else { return }
        let bytes = share == 255 ? waiting : waiting * Int(share) / 255
        readers[id]?.waitingBytes -= bytes
        hub.taken(id, bytes: bytes, now: now)
    }

    private func chosen(_ choice: UInt8) -> SubscriberID? {
        let ids = readers.keys.sorted { $0.serial < $1.serial }
        return ids.isEmpty ? nil : ids[Int(choice) % ids.count]
    }

    /// Everybody reads all of it, and whoever is behind is told the rest.
    mutating func settle() {
        repeat {
            for id in readers.keys.sorted(by: { $0.serial < $1.serial }) {
                read(UInt8(readers.keys.filter { $0.serial < id.serial }.count), share: 255)
            }
            perform { $0.step(now: $1, into: &$2) }
        } while hub.hasReplays || readers.values.contains { $0.waitingBytes > 0 }
        guard hub.isReady else { return }
        for reader in readers.values { reader.hasHeard(through: end, of: known) }
    }

    // MARK: What is said

    mutating func perform(_ event: (inout PushHub, Instant, inout [PushAction]) -> Void) {
        var actions: [PushAction] = []
        event(&hub, now, &actions)
        obey(actions)
    }

    private mutating func obey(_ actions: [PushAction]) {
        for action in actions {
            switch action {
            case .send(let message, let ids):
                check(Set(ids).count == ids.count, "everybody is told once")
                for id in ids { tell(message, id) }
            case .end(let id, _, let message):
                check(message.kind == .end, "the last message says that it is the last")
                tell(message, id)
                readers[id] = nil
            }
        }
        let seen = hub.snapshot
        check(seen.subscribers == readers.count, "those who are there are counted")
        let waiting = readers.values.reduce(0) { $0 + $1.waitingBytes }
        check(seen.waitingBytes == waiting, "what waits is counted")
    }

    private mutating func tell(_ message: PushMessage, _ id: SubscriberID) {
        check(readers[id] != nil, "nobody is told who is gone")
        readers[id]?.take(message, of: known)
    }
}
