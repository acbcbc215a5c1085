import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import Synchronization
import Threading
import ZeroMQ

/// The reader's hold on the thread that follows the log: when it is let go of, the thread ends.
final class EventFeed: Sendable {
    let queue = EventQueue()
    private let wakeup: Wakeup
    private let isOver: OverFlag

    /// Starts following.
    init(
        _ loop: ClientLoop, _ topology: Topology, from start: LogPosition?
    ) throws(CacheError) {
        let live: Endpoint
        let control: Endpoint
        do {
            live = try Endpoint(topology.liveEndpoint, for: .connecting)
            control = try Endpoint(topology.controlEndpoint, for: .connecting)
            wakeup = try Wakeup()
        } catch {
            throw CacheError(.disconnected, "the publisher's place is not known: \(error)")
        }
        isOver = OverFlag()
        let follower = InvalidationFollower(after: start)
        do {
            _ = try OwnedThread(name: "client-events") {
                [queue, wakeup, isOver, context = loop.context] in
                var worker = EventWorker(follower: follower, queue: queue)
                // The context is shut down when the client is closed, which ends the stream.
                do {
                    try worker.run(context, live: live, control: control, wakeup: wakeup) {
                        isOver.isRaised
                    }
                } catch {}
                queue.end()
            }
        } catch {
            throw CacheError(.disconnected, "\(error)")
        }
    }

    deinit {
        isOver.raise()
        wakeup.signal()
    }
}

/// A flag that one side raises and the other sees.
final class OverFlag: Sendable {
    private let flag = Atomic(false)

    var isRaised: Bool { flag.load(ordering: .acquiring) }

    func raise() { flag.store(true, ordering: .releasing) }
}

/// The thread that follows the log: a SUB to the live channel and a DEALER for replays.
struct EventWorker: ~Copyable {
    var follower: InvalidationFollower
    let queue: EventQueue
    private var writer = ByteWriter()
    private var frame = Frame()
    private var requestID: UInt64 = 0

    init(follower: InvalidationFollower, queue: EventQueue) {
        self.follower = follower
        self.queue = queue
    }

    mutating func run(
        _ context: Context, live: Endpoint, control: Endpoint, wakeup: Wakeup,
        isOver: () -> Bool
    ) throws(ZeroMQError) {
        let subscriber = try Socket(context, .sub)
        try subscriber.subscribe(prefix: MessageHeader.topic(of: .records))
        try subscriber.subscribe(prefix: MessageHeader.topic(of: .heartbeat))
        try subscriber.connect(live)
        let asker = try Socket(context, .dealer)
        try asker.connect(control)
        var poller = Poller()
        let bell = poller.add(wakeup)
        _ = poller.add(subscriber, for: .readable)
        _ = poller.add(asker, for: .readable)
        while !isOver() {
            _ = try poller.wait(timeout: nil)
            if poller.isReady(bell) { wakeup.drain() }
            while try subscriber.receive(into: &frame) { try take(asker) }
            while try asker.receive(into: &frame) { try take(asker) }
        }
    }

    /// Understands what was received, and does what the follower says.
    private mutating func take(_ asker: borrowing Socket) throws(ZeroMQError) {
        for action in understood() {
            switch action {
            case .deliver(let record): queue.append(.record(record))
            case .heartbeat(let head): queue.append(.heartbeat(head: head))
            case .lost(let after, let continuingAfter):
                queue.append(.lost(after: after, continuingAfter: continuingAfter))
            case .resume(let log, let mark):
                requestID += 1
                writer.removeAll()
                Resume(
                    incarnation: .none, log: log, after: mark,
                    limit: ClientLimits.replayRecordsMax
                ).encode(requestID: requestID, into: &writer)
                // Not sent is like lost: the next heartbeat asks again.
                _ = try asker.send(writer.bytes, more: false)
            }
        }
    }

    private mutating func understood() -> [InvalidationFollower.Action] {
        let room = queue.room
        do {
            let message = try MessageView(decoding: frame.bytes)
            switch message.type {
            case .heartbeat:
                return follower.heard(try Heartbeat(decoding: message.body), room: room)
            case .records, .replay:
                return follower.received(try RecordRun(decoding: message), room: room)
            case .truncated:
                return follower.truncated(try Truncated(decoding: message.body), room: room)
            default: return []
            }
        } catch {
            // What cannot be read is as good as lost, and what is lost is asked for again.
            return []
        }
    }
}
