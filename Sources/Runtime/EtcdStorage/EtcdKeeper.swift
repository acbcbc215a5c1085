import CacheInvalidation
package import CacheModel
package import SharedLogCore
package import Storage
import Threading
import ZeroMQ

/// The thread of a publisher that talks to etcd: it follows the log there, leads it in turn with
/// others, and writes it while it leads. What ``Storage/LogKeeper`` is for a directory.
///
///     publisher's thread ── letters ──▶ keeper's thread ── requests ──▶ EtcdClient ──▶ etcd
///                       ◀─── news ─────                 ◀─ outcomes ──
package final class EtcdKeeper: Sendable {
    /// What the keeper needs beside the place of etcd.
    package struct Setup: Sendable {
        /// The name of this publisher, and where nodes and clients reach it.
        package let own: Leadership.Endpoints
        /// All publishers of the configuration.
        package let owner: PrefixOwner
        package let bounds: FollowedLog.Bounds
        /// The directory in which this publisher keeps how far it has seen the log.
        package let stateDirectory: String

        package init(
            own: Leadership.Endpoints, owner: PrefixOwner, bounds: FollowedLog.Bounds,
            stateDirectory: String
        ) {
            self.own = own
            self.owner = owner
            self.bounds = bounds
            self.stateDirectory = stateDirectory
        }
    }

    /// What is known of the store and the log.
    package struct Standing: Sendable {
        package internal(set) var head = LogMark.none
        /// Whether the log is known up to the head that was read last.
        package internal(set) var isCaughtUp = false
        /// Whether this publisher leads, as far as its own clock can tell.
        package internal(set) var leads = false
        /// Why etcd does not answer, or refuses; `nil` while it answers.
        package internal(set) var trouble: String?
        package internal(set) var members: [EtcdMember] = []
        /// The leader that was read last; `nil`: none, or unknown.
        package internal(set) var leader: LeaderValue?
        /// When this process first knew of the term of ``leader``.
        package internal(set) var leaderSince: Instant?

        package init() {}
    }

    fileprivate enum Letter: Sendable {
        case core(SharedLogKeeper.Letter)
        case outcome(SharedLogKeeper.Purpose, StoreOutcome)
        case members([EtcdMember])
        case close
    }

    /// All publishers of the configuration, each as `NAME@ENDPOINT`; sorted.
    package let publishers: [String]
    private let mailbox: Mailbox<Letter>
    private let thread: OwnedThread<Void>
    private let shared: Guarded<Standing>

    /// Opens the state directory and starts the thread. Whether etcd answers is not waited for.
    ///
    /// - Parameter tell: called on the keeper's thread.
    /// - Throws: ``EtcdStartError``; nothing is open then.
    package init(
        _ options: EtcdOptions, prefix: String, _ setup: Setup,
        tell: @escaping @Sendable (SharedLogKeeper.News) -> Void
    ) throws(EtcdStartError) {
        let client: EtcdClient
        do throws(EtcdError) {
            client = try EtcdClient(options)
        } catch {
            throw .etcd(error)
        }
        let file: StateFile
        let furthest: FurthestMark
        do throws(LogFileError) {
            file = try StateFile(setup.stateDirectory, name: "furthest")
            furthest = try Self.read(file)
        } catch {
            client.stop()
            throw .state(error)
        }
        let shared = Guarded(Standing())
        publishers = setup.owner.members.sorted()
        do {
            let mailbox = try Mailbox<Letter>()
            thread = try OwnedThread(name: "etcd") {
                let now = MonotonicClock.now
                let core = SharedLogKeeper(
                    SharedKeys(prefix: prefix), (setup.own, setup.owner), setup.bounds,
                    (furthest, UInt64.random(in: 0...UInt64.max)), now: now)
                var loop = EtcdKeeperLoop(core, (client, file, mailbox, shared), tell)
                loop.run()
            }
            self.mailbox = mailbox
            self.shared = shared
        } catch {
            client.stop()
            file.unlock()
            throw .noThread("\(error)")
        }
    }

    /// A mark that cannot be read counts as none: what it guards against needs a restore as well.
    private static func read(_ file: StateFile) throws(LogFileError) -> FurthestMark {
        try file.read().flatMap { FurthestMark($0) } ?? .none
    }

    package var standing: Standing { shared.withLock { $0 } }

    package func send(_ letter: SharedLogKeeper.Letter) { mailbox.post(.core(letter)) }

    /// Ends the thread and the connections. Nothing is told after this; another call does nothing.
    package func close() {
        mailbox.post(.close)
        thread.join()
    }
}

/// Why the keeper cannot start.
package enum EtcdStartError: Error, Equatable, CustomStringConvertible {
    case etcd(EtcdError)
    case state(LogFileError)
    case noThread(String)

    package var description: String {
        switch self {
        case .etcd(let error): "\(error)"
        case .state(let error): "\(error)"
        case .noThread(let reason): "there is no thread for etcd: \(reason)"
        }
    }
}

/// The state of the keeper's thread.
private struct EtcdKeeperLoop: ~Copyable {
    private var core: SharedLogKeeper
    private let client: EtcdClient
    private let file: StateFile
    private let mailbox: Mailbox<EtcdKeeper.Letter>
    private let shared: Guarded<EtcdKeeper.Standing>
    private let tell: (SharedLogKeeper.News) -> Void
    private var membersDue = MonotonicClock.now
    private var isAskingMembers = false
    private var isMarkUnkept = false

    typealias Surroundings = (
        client: EtcdClient, file: StateFile, mailbox: Mailbox<EtcdKeeper.Letter>,
        shared: Guarded<EtcdKeeper.Standing>
    )

    init(
        _ core: SharedLogKeeper, _ around: Surroundings,
        _ tell: @escaping (SharedLogKeeper.News) -> Void
    ) {
        self.core = core
        (client, file, mailbox, shared) = around
        self.tell = tell
    }

    mutating func run() {
        var poller = Poller()
        _ = poller.add(mailbox.wakeup)
        perform(core.tick(now: MonotonicClock.now))
        while true {
            do throws(ZeroMQError) {
                _ = try poller.wait(timeout: patience)
            } catch {
                // The same as for the log's thread: what waits for this one would wait for ever.
                preconditionFailure("the thread of etcd cannot wait: \(error)")
            }
            for letter in mailbox.takeAll() {
                guard take(letter) else { return end() }
            }
            let now = MonotonicClock.now
            perform(core.tick(now: now))
            askMembers(now: now)
            note()
        }
    }

    private var patience: Duration {
        let due = [core.nextDue, isAskingMembers ? nil : membersDue].compactMap(\.self).min()
        return due?.elapsed(since: MonotonicClock.now) ?? EtcdLimits.waitMax
    }

    private mutating func take(_ letter: EtcdKeeper.Letter) -> Bool {
        let now = MonotonicClock.now
        switch letter {
        case .core(let letter): perform(core.take(letter, now: now))
        case .outcome(let purpose, let outcome):
            perform(core.finished(purpose, outcome, now: now))
        case .members(let members):
            isAskingMembers = false
            membersDue = now.advanced(by: EtcdLimits.membersSpacing)
            shared.withLock { $0.members = members }
        case .close: return false
        }
        return true
    }

    private mutating func perform(_ actions: [SharedLogKeeper.Action]) {
        for action in actions {
            switch action {
            case .send(let purpose, let request):
                client.send(request) { [mailbox] in mailbox.post(.outcome(purpose, $0)) }
            case .tell(let news):
                note(news)
                note()
                tell(news)
            case .keep(let mark): keep(mark)
            }
        }
    }

    /// Reports once that the mark cannot be stored.
    private mutating func keep(_ mark: FurthestMark) {
        do throws(LogFileError) {
            try file.replace(with: mark.bytes)
            isMarkUnkept = false
        } catch {
            if !isMarkUnkept { tell(.report(.markNotKept("\(error)"))) }
            isMarkUnkept = true
        }
    }

    private func note(_ news: SharedLogKeeper.News) {
        switch news {
        case .report(.unreachable(let reason)), .written(.trouble(let reason?)):
            shared.withLock { $0.trouble = reason }
        case .report(.reachable), .written(.trouble(nil)):
            shared.withLock { $0.trouble = nil }
        case .end where !core.leadership.isInTrouble,
            .resigned where !core.leadership.isInTrouble:
            // What the writer was refused ends with its term.
            shared.withLock { $0.trouble = nil }
        default: break
        }
    }

    private func note() {
        let (leadership, now) = (core.leadership, MonotonicClock.now)
        shared.withLock {
            $0.head = leadership.log.window.head
            $0.isCaughtUp = !leadership.log.isBehind
            $0.leads = leadership.leads(at: now)
            guard $0.leader != leadership.leader else { return }
            $0.leader = leadership.leader
            $0.leaderSince = leadership.leader.map { _ in now }
        }
    }

    private mutating func askMembers(now: Instant) {
        guard !isAskingMembers, membersDue <= now else { return }
        isAskingMembers = true
        client.askMembers { [mailbox] in mailbox.post(.members($0)) }
    }

    /// The mark of the last second is written; then the directory is free.
    private mutating func end() {
        client.stop()
        keep(core.leadership.furthest)
        file.unlock()
    }
}
