import AccessControl
import CacheConfiguration
import CacheLoading
package import CacheMetrics
import CacheModel
import CacheNodeCore
package import Logging
import Telemetry
import Threading
import ZeroMQ

/// A node: its shards' threads, and the control thread that follows the publisher.
///
/// Called from the command. ``start(_:logger:)`` binds every socket before it returns, so that a
/// port in use is an error of the start and not of some later moment; whether the publisher is
/// there does not matter: the node keeps trying.
package final class NodeServer: Sendable {
    /// Where each shard listens.
    package let endpoints: [String]
    /// Where each shard listens with the node's second key; empty if it has none.
    package let secondEndpoints: [String]
    private let node: NodeID
    private let threads: Threads
    private let spans: SpanExporter?
    private let readyNeedsOrigins: Bool

    /// Everything that must be ended again. What has not been started yet is `nil`, as is what a
    /// node of this configuration has not.
    private struct Threads: Sendable {
        var context: Context
        var connections: DescriptorGuard
        var mailbox: Mailbox<ControlLetter>
        var ended = Promise<NodeEnd>()
        var gatekeeper: Gatekeeper?
        var shards: [ShardThread] = []
        var queue: QueueThread?
        var origin: OriginThread?
        var warmUp: WarmUpThread?
        var control: OwnedThread<Void>?

        /// Says goodbye to the publisher, ends every thread and closes every socket.
        func stop() {
            warmUp?.stop()
            for shard in shards { shard.stop() }
            origin?.stop()
            queue?.stop()
            mailbox.post(.stop)
            control?.join()
            gatekeeper?.stop()
            connections.stop()
            context.terminate()
        }
    }

    private init(
        _ options: NodeServerOptions, endpoints: [String], second: [Endpoint], threads: Threads
    ) {
        node = options.node
        spans = options.spans
        readyNeedsOrigins = options.readyNeedsOrigins
        self.endpoints = endpoints
        secondEndpoints = second.map(\.description)
        self.threads = threads
    }

    /// Starts a node. From then on this process keeps some of the memory that it frees:
    /// ``Threading/FreedMemory``.
    ///
    /// - Throws: ``AccessControlError`` if no client could be checked, ``NodeStartError`` if a
    ///   socket cannot be bound, ``QueueStartError`` if the write queue cannot be read,
    ///   ``Threading/ThreadStartError``; nothing runs then.
    package static func start(
        _ options: NodeServerOptions, logger: Logger
    ) throws -> NodeServer {
        Descriptors.raiseLimit()
        FreedMemory.keep(
            upTo: ServerLimits.keptMemoryBytes, allocationMax: ServerLimits.reusedAllocationMax)
        let advertised = try advertised(options)
        let opened = try options.queueDirectory.map { try OpenedQueue($0) }
        let context = try Context(
            ioThreadCount: options.ioThreadCount, keys: options.access?.keys)
        let ended = Promise<NodeEnd>()
        let gatekeeper = try startGatekeeper(options, context, ended, logger: logger)
        let mailbox = try Mailbox<ControlLetter>()
        let origins = try Mailbox<OriginLetter>()
        let copies = options.warmUp.source == .off ? nil : try Mailbox<WarmUpLetter>()
        var generator = SystemRandomNumberGenerator()
        let incarnation = Incarnation(.random(in: 1...UInt64.max, using: &generator))
        let connections = try startConnections(context, gatekeeper, logger: logger)
        let (shards, bound) = try startShards(
            options, incarnation, (context, connections),
            NodeMail(control: mailbox, origins: origins, warmUp: copies), logger: logger)
        let (endpoints, second) = (bound.map { $0[0] }, bound.flatMap { $0.dropFirst() })
        // Before the control thread lets them answer: what is on their disks may be older.
        for line in opened?.held ?? [] {
            for shard in shards { shard.mailbox.post(.hold(line)) }
        }
        let told = advertised.isEmpty ? endpoints.map(\.description) : advertised
        var threads = Threads(
            context: context, connections: connections, mailbox: mailbox, ended: ended,
            gatekeeper: gatekeeper, shards: shards)
        do {
            gatekeeper?.follow { table in
                for shard in shards { shard.mailbox.post(.access(table)) }
            }
            try gatekeeper?.test((endpoints + second).map { ($0, .data) }, in: context)
            threads.queue = try opened.map {
                try QueueThread($0, tells: origins, logger: logger)
            }
            let writes = WriteKeeper.Setup(
                journal: threads.queue.flatMap { queue in
                    opened.map {
                        WriteKeeper.Journal(
                            records: $0.journal, isBroken: $0.trouble != nil,
                            mailbox: queue.mailbox)
                    }
                },
                control: mailbox, shards: shards.map(\.mailbox),
                seed: generator.next(), logger: logger)
            threads.origin = try OriginThread(
                OriginThread.Setup(
                    node: options.node, context: context, mailbox: origins,
                    shards: shards.map(\.mailbox), settings: options.origins,
                    secrets: options.secrets, seed: generator.next(), writes: writes,
                    logger: logger))
            threads.warmUp = try startWarmUp(options, copies, threads, logger: logger)
            let setup = ControlLoop.Setup(
                identity: options.identity(incarnation, at: told),
                publishers: options.publishers, seed: generator.next(), context: context,
                mailbox: mailbox,
                shards: shards.map(\.mailbox), origins: origins, warmUp: threads.warmUp?.mailbox,
                hasDisks: options.disk != nil, memory: memory(options), logger: logger,
                ended: threads.ended)
            threads.control = try OwnedThread(name: "control") { ControlLoop.run(setup) }
        } catch {
            threads.stop()
            throw error
        }
        return NodeServer(options, endpoints: told, second: second, threads: threads)
    }

    private static func startGatekeeper(
        _ options: NodeServerOptions, _ context: Context, _ ended: Promise<NodeEnd>,
        logger: Logger
    ) throws -> Gatekeeper? {
        guard let access = options.access else { return nil }
        do {
            return try Gatekeeper(
                in: context, listFile: access.listFile, logger: logger, audit: options.audit
            ) {
                ended.fulfil(.failed("connections cannot be authenticated any more: \($0)"))
            }
        } catch {
            context.terminate()
            throw error
        }
    }

    private static func startConnections(
        _ context: Context, _ gatekeeper: Gatekeeper?, logger: Logger
    ) throws -> DescriptorGuard {
        do {
            return try DescriptorGuard(in: context, logger: logger)
        } catch {
            gatekeeper?.stop()
            context.terminate()
            throw error
        }
    }

    /// What others are told to connect to, with the node's key.
    private static func advertised(_ options: NodeServerOptions) throws -> [String] {
        guard let access = options.access else { return options.advertised }
        return try options.advertised.map {
            try Endpoint($0, for: .connecting).withServerKey(access.keys.publicKey).description
        }
    }

    private static func startWarmUp(
        _ options: NodeServerOptions, _ mailbox: Mailbox<WarmUpLetter>?, _ threads: Threads,
        logger: Logger
    ) throws -> WarmUpThread? {
        guard let mailbox else { return nil }
        return try WarmUpThread(
            WarmUpThread.Setup(
                node: options.node, settings: options.warmUp, context: threads.context,
                mailbox: mailbox, shards: threads.shards.map(\.mailbox), logger: logger))
    }

    private static func memory(_ options: NodeServerOptions) -> MemoryWatch.Setup? {
        switch options.memoryPressure {
        case .ignore: nil
        case .react:
            MemoryWatch.Setup(memoryBytes: options.memoryBytes, kernelRoot: options.kernelRoot)
        }
    }

    /// Where shards write to.
    private struct NodeMail {
        var control: Mailbox<ControlLetter>
        var origins: Mailbox<OriginLetter>
        /// `nil`: this node copies nothing from others.
        var warmUp: Mailbox<WarmUpLetter>?
    }

    private static func startShards(
        _ options: NodeServerOptions, _ incarnation: Incarnation,
        _ network: (context: Context, connections: DescriptorGuard), _ mail: NodeMail,
        logger: Logger
    ) throws -> ([ShardThread], [[Endpoint]]) {
        var shards: [ShardThread] = []
        var endpoints: [[Endpoint]] = []
        var generator = SystemRandomNumberGenerator()
        for (index, endpoint) in options.endpoints.enumerated() {
            var shard = ShardOptions(
                node: options.node, shardIndex: ShardIndex(index), incarnation: incarnation,
                memoryBytes: options.memoryBytes / options.endpoints.count,
                seed: generator.next())
            shard.shardCount = options.endpoints.count
            shard.entriesMax = options.entriesMax.map { max(1, $0 / options.endpoints.count) }
            shard.evictionPolicy = options.evictionPolicy
            shard.plantedBug = options.plantedBug
            shard.isGuarded = options.access != nil
            shard.isAudited = options.audit != nil
            shard.slowAfter = options.slow?.threshold
            shard.notesTraces = options.spans != nil
            shard.sampleEvery = options.sample?.every
            shard.hasDisk = options.disk != nil
            shard.diskWriteBytesPerSecond = options.disk?.writeBytesPerSecond.map {
                max(1, $0 / options.endpoints.count)
            }
            let disk = options.disk.map {
                DiskSetup(
                    node: options.node, shard: index, shardCount: options.endpoints.count,
                    incarnation: incarnation, settings: $0)
            }
            do {
                let (thread, bound) = try ShardThread.start(
                    ShardLoop.Setup(
                        options: shard, endpoint: endpoint,
                        second: options.access?.second.map { ($0.endpoints[index], $0.keys) },
                        context: network.context, connections: network.connections,
                        mailbox: Mailbox(), control: mail.control, origin: mail.origins,
                        warmUp: mail.warmUp, logger: logger, audit: options.audit,
                        slow: options.slow,
                        sample: options.sample, spans: options.spans, disk: disk,
                        spin: options.spin))
                shards.append(thread)
                endpoints.append(bound)
            } catch {
                for shard in shards { shard.stop() }
                network.connections.stop()
                network.context.terminate()
                throw error as? NodeStartError
                    ?? NodeStartError(endpoint: endpoint.description, cause: error)
            }
        }
        return (shards, endpoints)
    }

    /// Blocks until the node has ended by itself, wants to, or was asked to: ``stop()`` does the
    /// rest.
    package func waitUntilEnded() -> NodeEnd {
        threads.ended.wait()
    }

    /// Asks the threads that clients and the publisher depend on whether they turn: shards,
    /// control, origin and gatekeeper. Not those that wait for a disk: no restart mends one.
    ///
    /// - Parameter whole: as of ``Threading/Pulse``.
    package func takePulse(_ whole: @escaping @Sendable () -> Void) {
        let guards = threads.gatekeeper == nil ? 0 : 1
        let pulse = Pulse(of: threads.shards.count + guards + 2, whole: whole)
        for shard in threads.shards { shard.mailbox.post(.pulse(pulse)) }
        threads.mailbox.post(.pulse(pulse))
        threads.origin?.mailbox.post(.pulse(pulse))
        threads.gatekeeper?.ask(pulse)
    }

    /// Asks the same threads what they have to tell, by their mailboxes: no shard is held up by it
    /// for longer than it takes to copy its figures.
    ///
    /// - Parameter whole: called once, on the last of the threads that answer; never if one hangs
    ///   or has ended. It must not wait there.
    package func takeReport(_ whole: @escaping @Sendable (any HealthReport) -> Void) {
        var report = NodeReport(node: node, spans: spans?.figures.outcomes ?? [])
        report.needsOrigins = readyNeedsOrigins
        let draft = Guarded(report)
        let guards = threads.gatekeeper == nil ? 0 : 1
        let pulse = Pulse(of: threads.shards.count + guards + 2) { whole(draft.withLock { $0 }) }
        for shard in threads.shards {
            shard.mailbox.post(
                .report { report in
                    draft.withLock { $0.add(report) }
                    pulse.beat()
                })
        }
        threads.mailbox.post(
            .report { control in
                draft.withLock { $0.control = control }
                pulse.beat()
            })
        threads.origin?.mailbox.post(
            .report { gates, peers in
                draft.withLock { ($0.gates, $0.peers) = (gates, peers) }
                pulse.beat()
            })
        threads.gatekeeper?.ask(pulse)
    }

    /// Says goodbye to the publisher, ends every thread and closes every socket. Returns when
    /// nothing is left.
    package func stop() {
        threads.stop()
    }
}
