import CacheLoading
import CacheModel
import CacheNodeCore
import CacheOrigin
import Logging
import Threading
import ZeroMQ

/// The loop of the origin thread: collect letters, tell the desk, do what it says, sleep until its
/// next deadline.
struct OriginLoop: ~Copyable {
    private let mailbox: Mailbox<OriginLetter>
    private let shards: [Mailbox<ShardLetter>]
    private let settings: HTTPOriginSettings
    private let environment: [String: String]
    private let logger: Logger
    private var desk: OriginDesk
    private var actions: [OriginDesk.Action] = []
    /// What each load asked for, to read its answer by.
    private var requests: [LoadTicket: OriginRequest] = [:]
    private var attempts: [AttemptNumber: Attempt] = [:]
    /// `nil` until something is to be loaded.
    private var origin: HTTPOrigin?
    private var isRunning = true

    init(_ setup: OriginThread.Setup) {
        mailbox = setup.mailbox
        shards = setup.shards
        settings = setup.settings
        environment = setup.environment
        logger = setup.logger
        desk = OriginDesk(seed: setup.seed)
    }

    mutating func run() {
        do {
            var poller = Poller()
            let mail = poller.add(mailbox.wakeup)
            while isRunning {
                _ = try poller.wait(timeout: timeout)
                takeLetters(isHeard: poller.isReady(mail))
                desk.timeIsUp(now: MonotonicClock.now, into: &actions)
                perform()
            }
        } catch {
            logger.error("the origin thread ended: \(error)")
        }
        end()
    }

    private var timeout: Duration? {
        desk.nextDeadline.map { $0.elapsed(since: MonotonicClock.now) }
    }

    private mutating func takeLetters(isHeard: Bool) {
        for letter in mailbox.takeAll(isHeard: isHeard) {
            let now = MonotonicClock.now
            switch letter {
            case .policies(let policies):
                desk.configure(usable(policies), now: now, into: &actions)
            case .load(let shard, let load):
                let ticket = Self.ticket(shard, load.number)
                requests[ticket] = load.request
                desk.ask(
                    LoadOrder(ticket: ticket, request: load.request, urgency: load.urgency),
                    now: now, into: &actions)
            case .hasten(let shard, let number):
                desk.hasten(Self.ticket(shard, number), to: .awaited, now: now, into: &actions)
            case .finished(let attempt, let outcome):
                attempts[attempt] = nil
                desk.finished(attempt, outcome, now: now, into: &actions)
            case .stop: isRunning = false
            }
            perform()
        }
    }

    /// The policies with their secrets filled in. A namespace whose secrets are not there has no
    /// origin: asked without them it would answer that nobody is let in.
    private func usable(_ policies: [Namespace: OriginPolicy]) -> [Namespace: OriginPolicy] {
        var usable: [Namespace: OriginPolicy] = [:]
        for (namespace, policy) in policies {
            let fields = policy.fields.map { $0.filled { environment[$0] } }
            if let missing = zip(policy.fields, fields).first(where: { $0.1 == nil })?.0 {
                logger.error(
                    """
                    namespace \(namespace.name) has no origin: a variable that its header \
                    \(missing.name) names is not in this process's environment, or holds what \
                    cannot stand in a header
                    """)
                continue
            }
            usable[namespace] = policy
            usable[namespace]?.fields = fields.compactMap(\.self)
        }
        return usable
    }

    private static func ticket(_ shard: ShardIndex, _ number: UInt64) -> LoadTicket {
        LoadTicket(shard: UInt16(shard.rawValue), number: number)
    }

    private mutating func perform() {
        // What is begun may have finished before this returns; its letter comes later.
        let due = actions
        actions.removeAll(keepingCapacity: true)
        for action in due {
            switch action {
            case .start(let attempt, let request): start(attempt, request)
            case .abort(let attempt): attempts[attempt]?.abort()
            case .answer(let ticket, let answer): tell(ticket, answer)
            }
        }
    }

    private mutating func start(_ number: AttemptNumber, _ request: OriginRequest) {
        guard let origin = client() else {
            return mailbox.post(.finished(number, .failed(.unreachable)))
        }
        attempts[number] = origin.begin(request) { [mailbox] outcome in
            mailbox.post(.finished(number, outcome))
        }
    }

    private mutating func client() -> HTTPOrigin? {
        if let origin { return origin }
        do {
            origin = try HTTPOrigin(settings)
        } catch {
            logger.error("no origin can be asked: \(error)")
        }
        return origin
    }

    private mutating func tell(_ ticket: LoadTicket, _ answer: LoadAnswer) {
        guard let request = requests.removeValue(forKey: ticket) else { return }
        let outcome: LoadOutcome =
            switch answer {
            case .reply(let reply): AnswerReader.read(reply, to: request)
            case .failed(let failure, let retryAfter): .failed(failure, retryAfter: retryAfter)
            }
        shards[Int(ticket.shard)].post(.loadEnded(number: ticket.number, outcome))
    }

    /// Waits until every attempt has ended, and the client with its thread.
    private mutating func end() {
        guard let origin else { return }
        let isDone = Promise<Void>()
        origin.shutDown(grace: .zero) { isDone.fulfil(()) }
        isDone.wait()
    }
}
