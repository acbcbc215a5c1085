import AccessControl
package import CacheConfiguration
import CacheInvalidation
package import CacheMetrics
import CacheModel
import CacheWire
import Storage
package import Logging
package import PublisherCore
import Threading
package import ZeroMQ
import EssentialFoundation

/// A running publisher: one thread, two sockets, and the core that decides.
///
///     any thread              the publisher's thread
///     ┌───────────────┐       ┌───────────────────────────────────────────────┐
///     │ start, stop,  │ bell  │ control ROUTER ─▶ ┌────────────────┐          │
///     │ reload        │──────▶│ live XPUB ──────▶ │ PublishingCore │ ─▶ both  │
///     └───────────────┘       │ clock ──────────▶ └────────────────┘          │
///                             └───────────────────────────────────────────────┘
///
/// A log on disk has a writer thread of its own, which reports through the same mailbox.
///
/// The thread owns the sockets, the log and the core's state, and shares none of it; other threads
/// reach it through a mailbox. It alone reads the clock and draws random numbers for the core.
/// Invalid input on either port is answered or ignored and never stops the thread. It ends on
/// request, or when libzmq fails; ``waitUntilStopped()`` returns that failure.
package final class PublisherService: Sendable {
    private struct Running: Sendable {
        let context: Context
        let mailbox: Mailbox<PublisherLetter>
        let thread: OwnedThread<PublisherFailure?>
        /// `nil`: access control is off.
        let gatekeeper: Gatekeeper?
        let connections: DescriptorGuard
        /// The bound endpoints; those with the second key, if there is one, after the first.
        let endpoints: [PublisherEndpoints]
    }

    private enum Phase: Sendable {
        case idle
        case starting
        case running(Running)
    }

    /// Tells the caller of ``start()`` whether the ports are bound.
    typealias Start = Promise<Result<[PublisherEndpoints], PublisherStartError>>

    private let options: PublisherOptions
    private let logger: Logger
    private let phase = Guarded(Phase.idle)

    package init(options: PublisherOptions, logger: Logger) {
        self.options = options
        self.logger = logger
    }

    /// Binds both ports and begins to serve. Waits until they are bound.
    ///
    /// - Returns: the bound endpoints.
    /// - Throws: ``PublisherStartError``; nothing is left open, and it may be tried again.
    package func start() throws(PublisherStartError) -> PublisherEndpoints {
        let isFirst = phase.withLock { phase in
            guard case .idle = phase else { return false }
            phase = .starting
            return true
        }
        guard isFirst else { throw .alreadyStarted }
        do throws(PublisherStartError) {
            let running = try launch()
            phase.withLock { $0 = .running(running) }
            return running.endpoints[0]
        } catch {
            phase.withLock { $0 = .idle }
            throw error
        }
    }

    /// Logs the bound endpoints. A reader of that line may use the publisher, and end it.
    package func announce() {
        guard let running else { return }
        for (place, name) in zip(running.endpoints, ["publisher listens", "with its second key"]) {
            logger.info(
                "\(name)", metadata: ["control": "\(place.control)", "live": "\(place.live)"])
        }
    }

    /// Applies another configuration. Ports do not change.
    package func reload(_ configuration: ClusterConfiguration) {
        reload(PublisherPlan(configuration))
    }

    /// Applies another plan. Ports do not change.
    package func reload(_ plan: PublisherPlan) {
        running?.mailbox.post(.reload(plan))
    }

    /// Sets how many changes of the configuration file cannot be applied; 0: the file is in force.
    package func refusedChanges(_ count: Int) {
        running?.mailbox.post(.refusedChanges(count))
    }

    /// Checks that the publisher's thread and its gatekeeper still turn. The thread that writes the
    /// log is not checked: no restart repairs a disk that hangs.
    ///
    /// - Parameter whole: as of ``Threading/Pulse``.
    package func takePulse(_ whole: @escaping @Sendable () -> Void) {
        guard let running else { return }
        let pulse = Pulse(of: running.gatekeeper == nil ? 1 : 2, whole: whole)
        running.mailbox.post(.pulse(pulse))
        running.gatekeeper?.ask(pulse)
    }

    /// Requests the publisher's report from the same threads, through their mailboxes.
    ///
    /// - Parameter whole: called once, on the last of the threads that answer; never if one hangs
    ///   or has ended. It must not wait there.
    package func takeReport(_ whole: @escaping @Sendable (any HealthReport) -> Void) {
        guard let running else { return }
        let draft = Guarded<PublisherReport?>(nil)
        let pulse = Pulse(of: running.gatekeeper == nil ? 1 : 2) {
            if let report = draft.withLock({ $0 }) { whole(report) }
        }
        running.mailbox.post(
            .report { report in
                draft.withLock { $0 = report }
                pulse.beat()
            })
        running.gatekeeper?.ask(pulse)
    }

    /// Stops the publisher in order: each waiting client gets the result as known, then the ports
    /// are closed. Returns when that is done. Another call does nothing.
    package func stop() {
        guard let running else { return }
        running.mailbox.post(.stop)
        running.thread.join()
        running.gatekeeper?.stop()
        running.connections.stop()
        running.context.terminate()
    }

    /// Waits until it has ended, by ``stop()`` or by itself.
    ///
    /// - Returns: the failure that ended it; `nil` after ``stop()``.
    package func waitUntilStopped() -> PublisherFailure? {
        running?.thread.join()
    }

    private var running: Running? {
        phase.withLock { phase in
            if case .running(let running) = phase { running } else { nil }
        }
    }

    private func launch() throws(PublisherStartError) -> Running {
        Descriptors.raiseLimit()
        let context: Context
        let mailbox: Mailbox<PublisherLetter>
        do throws(ZeroMQError) {
            context = try Context(keys: options.access?.keys)
            mailbox = try Mailbox()
        } catch {
            throw .other(error)
        }
        let gatekeeper: Gatekeeper?
        do throws(AccessControlError) {
            gatekeeper = try startGatekeeper(in: context, mailbox)
        } catch {
            context.terminate()
            throw .access(error)
        }
        let connections: DescriptorGuard
        do throws(AccessControlError) {
            connections = try DescriptorGuard(in: context, logger: logger)
        } catch {
            gatekeeper?.stop()
            context.terminate()
            throw .access(error)
        }
        let start = Start()
        // Differs from every version that an earlier publisher reached, however soon this one
        // follows.
        let version = UInt32.random(in: 1...UInt32.max / 2)
        let thread: OwnedThread<PublisherFailure?>
        do throws(ThreadStartError) {
            thread = try OwnedThread(name: "publisher") { [options, logger] in
                Self.serve(
                    Surroundings(
                        options: options, context: context, mailbox: mailbox,
                        topologyVersion: version, logger: logger, gatekeeper: gatekeeper,
                        connections: connections, start: start))
            }
        } catch {
            gatekeeper?.stop()
            connections.stop()
            context.terminate()
            throw .noThread(error)
        }
        switch start.wait() {
        case .success(let endpoints):
            let running = Running(
                context: context, mailbox: mailbox, thread: thread, gatekeeper: gatekeeper,
                connections: connections, endpoints: endpoints)
            try test(running)
            return running
        case .failure(let error):
            thread.join()
            gatekeeper?.stop()
            connections.stop()
            context.terminate()
            throw error
        }
    }

    private func startGatekeeper(
        in context: Context, _ mailbox: Mailbox<PublisherLetter>
    ) throws(AccessControlError) -> Gatekeeper? {
        guard let access = options.access else { return nil }
        let gatekeeper = try Gatekeeper(
            in: context, listFile: access.listFile, logger: logger, audit: options.audit
        ) { [logger] error in
            logger.critical(
                "the publisher ends: connections cannot be authenticated any more: \(error)")
            mailbox.post(.fail(error))
        }
        gatekeeper.follow { mailbox.post(.access($0)) }
        return gatekeeper
    }

    /// Starts nothing unless unknown keys are refused.
    private func test(_ running: Running) throws(PublisherStartError) {
        do throws(AccessControlError) {
            try running.gatekeeper?.test(
                running.endpoints.flatMap { [($0.control, .control), ($0.live, .live)] },
                in: running.context)
        } catch {
            running.mailbox.post(.stop)
            running.thread.join()
            running.gatekeeper?.stop()
            running.connections.stop()
            running.context.terminate()
            throw .access(error)
        }
    }

    /// The inputs of the thread, and the promise by which it reports its start.
    struct Surroundings: Sendable {
        let options: PublisherOptions
        let context: Context
        let mailbox: Mailbox<PublisherLetter>
        let topologyVersion: UInt32
        let logger: Logger
        let gatekeeper: Gatekeeper?
        let connections: DescriptorGuard
        let start: Start

        /// Opens and binds the sockets.
        func bind() throws(PublisherStartError) -> PublisherChannels {
            try PublisherChannels(options, in: context, (logger, gatekeeper, connections))
        }
    }

    /// The thread's main function. Sockets and log are closed when it returns.
    private static func serve(_ around: Surroundings) -> PublisherFailure? {
        if let etcd = around.options.etcd { return serve(around, on: etcd) }
        var dice = SystemRandomNumberGenerator()
        let freshID = LogID(UInt64.random(in: 1...UInt64.max, using: &dice))
        let freshCluster = ClusterID(UInt64.random(in: 1...UInt64.max, using: &dice))
        let options = around.options
        guard let files = options.log else {
            let log = MemoryLog(
                id: freshID, recordsMax: options.retentionRecordsMax,
                bytesMax: options.retentionBytesMax, decode: SealedRecord.kept)
            return serve(
                around,
                PublisherLog(inMemory: log, freshID: freshID, freshCluster: freshCluster))
        }
        let log: FileLog
        do throws(LogFileError) {
            log = try open(files, freshID, around)
        } catch {
            around.start.fulfil(.failure(.log(error)))
            return nil
        }
        defer { log.keeper.close() }
        return serve(
            around,
            PublisherLog(
                log: log, freshID: freshID, storage: .files(log.keeper), pacings: log.pacings,
                nodes: log.nodes, cluster: log.cluster, slots: log.slots,
                freshCluster: freshCluster))
    }

    private static func serve<Log: ServedLog>(
        _ around: Surroundings, _ log: PublisherLog<Log>
    ) -> PublisherFailure? {
        let channels: PublisherChannels
        do throws(PublisherStartError) {
            channels = try around.bind()
        } catch {
            around.start.fulfil(.failure(error))
            return nil
        }
        around.start.fulfil(.success(channels.bound))
        var loop = PublisherLoop(
            around.options, channels, log, topologyVersion: around.topologyVersion)
        do throws(ZeroMQError) {
            _ = try loop.run(around.mailbox)
            return nil
        } catch {
            around.logger.error("the publisher ends", metadata: ["reason": "\(error)"])
            return .sockets(error)
        }
    }

    /// Opens the log on disk and logs its state.
    private static func open(
        _ files: LogFilesOptions, _ freshID: LogID, _ around: Surroundings
    ) throws(LogFileError) -> FileLog {
        var files = files
        files.leaseMilliseconds = UInt32(
            clamping: around.options.plan.lease.wholeMilliseconds)
        let log = try FileLog(files, freshID: freshID) { [mailbox = around.mailbox] in
            mailbox.post(.log($0))
        }
        let place: Logger.Metadata = [
            "directory": "\(files.directory)", "head": "\(log.head.position)",
        ]
        switch log.finding {
        case .empty: around.logger.info("the log is empty", metadata: place)
        case .whole where log.isSetBack:
            around.logger.warning(
                "a new epoch: the log was set back, and every node hides what it holds",
                metadata: place)
        case .whole: around.logger.info("the log continues", metadata: place)
        case .torn:
            around.logger.notice(
                "the log continues; a write that was never acknowledged is cut off",
                metadata: place)
        case .broken(let breach):
            around.logger.warning(
                "a new epoch: the log cannot be proven whole, and every node hides what it holds",
                metadata: place.merging(["reason": "\(breach)"]) { $1 })
        }
        return log
    }
}

/// What ended a publisher that was not told to stop.
package enum PublisherFailure: Error, Equatable, CustomStringConvertible {
    /// libzmq failed.
    case sockets(ZeroMQError)
    /// The prefix of etcd cannot be used: a restart does not help.
    case prefix(String)

    package var description: String {
        switch self {
        case .sockets(let error): "\(error)"
        case .prefix(let sentence): sentence
        }
    }
}
