import CacheConfiguration
import CacheLoading
import CacheModel
import CacheNodeCore
package import Logging
import Threading
import ZeroMQ

/// A node: its shards' threads, and the control thread that follows the publisher.
///
/// Called from the door. ``start(_:logger:)`` binds every socket before it returns, so that a port
/// in use is an error of the start and not of some later moment; whether the publisher is there
/// does not matter: the node keeps trying.
package final class NodeServer: Sendable {
    /// Where each shard listens.
    package let endpoints: [String]
    private let threads: Threads

    /// Everything that must be ended again.
    private struct Threads: Sendable {
        var context: Context
        var shards: [ShardThread]
        var origin: OriginThread
        var warmUp: WarmUpThread?
        /// `nil` where writes are not queued.
        var queue: QueueThread?
        var control: OwnedThread<Void>
        var mailbox: Mailbox<ControlLetter>
        var ended: Promise<NodeEnd>
    }

    private init(endpoints: [String], threads: Threads) {
        self.endpoints = endpoints
        self.threads = threads
    }

    /// Starts a node.
    ///
    /// - Throws: ``NodeStartError`` if a socket cannot be bound, ``QueueStartError`` if the write
    ///   queue cannot be read, ``Threading/ThreadStartError``; nothing runs then.
    package static func start(
        _ options: NodeServerOptions, logger: Logger
    ) throws -> NodeServer {
        let opened = try options.queueDirectory.map { try OpenedQueue($0) }
        let context = try Context()
        let mailbox = try Mailbox<ControlLetter>()
        let origins = try Mailbox<OriginLetter>()
        var generator = SystemRandomNumberGenerator()
        let incarnation = Incarnation(.random(in: 1...UInt64.max, using: &generator))
        let (shards, endpoints) = try startShards(
            options, incarnation, context: context,
            NodeMail(control: mailbox, origins: origins), logger: logger)
        // Before the control thread lets them answer: what is on their disks may be older.
        for line in opened?.held ?? [] {
            for shard in shards { shard.mailbox.post(.hold(line)) }
        }
        let advertised = options.advertised.isEmpty ? endpoints : options.advertised
        let ended = Promise<NodeEnd>()
        let warmUp = try options.warmUp.source == .off ? nil : Mailbox<WarmUpLetter>()
        let setup = ControlLoop.Setup(
            identity: NodeControlIdentity(
                node: options.node, incarnation: incarnation, endpoints: advertised),
            controlEndpoint: options.controlEndpoint, liveEndpoint: options.liveEndpoint,
            seed: generator.next(), context: context, mailbox: mailbox,
            shards: shards.map(\.mailbox), origins: origins, warmUp: warmUp,
            hasDisks: options.disk != nil,
            memory: memory(options),
            logger: logger, ended: ended)
        let (origin, control): (OriginThread, OwnedThread<Void>)
        let warming: WarmUpThread?
        var queue: QueueThread?
        do {
            queue = try opened.map {
                try QueueThread.start($0, tells: origins, logger: logger)
            }
            let writes = WriteKeeper.Setup(
                journal: queue.flatMap { queue in opened.map { ($0.journal, queue.mailbox) } },
                control: mailbox, shards: shards.map(\.mailbox), incarnation: incarnation,
                seed: generator.next())
            origin = try OriginThread.start(
                OriginThread.Setup(
                    node: options.node, context: context, mailbox: origins,
                    shards: shards.map(\.mailbox), settings: options.origins,
                    environment: options.environment, seed: generator.next(), writes: writes,
                    logger: logger))
        } catch {
            queue?.stop()
            for shard in shards { shard.stop() }
            context.terminate()
            throw error
        }
        do {
            warming = try warmUp.map { mailbox in
                try WarmUpThread.start(
                    WarmUpThread.Setup(
                        node: options.node, endpoints: endpoints, settings: options.warmUp,
                        context: context, mailbox: mailbox, shard: shards[0].mailbox,
                        logger: logger))
            }
        } catch {
            origin.stop()
            queue?.stop()
            for shard in shards { shard.stop() }
            context.terminate()
            throw error
        }
        do {
            control = try OwnedThread(name: "control") { ControlLoop.run(setup) }
        } catch {
            warming?.stop()
            origin.stop()
            queue?.stop()
            for shard in shards { shard.stop() }
            context.terminate()
            throw error
        }
        return NodeServer(
            endpoints: advertised,
            threads: Threads(
                context: context, shards: shards, origin: origin, warmUp: warming, queue: queue,
                control: control,
                mailbox: mailbox, ended: ended))
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
    }

    private static func startShards(
        _ options: NodeServerOptions, _ incarnation: Incarnation, context: Context,
        _ mail: NodeMail, logger: Logger
    ) throws -> ([ShardThread], [String]) {
        var shards: [ShardThread] = []
        var endpoints: [String] = []
        var generator = SystemRandomNumberGenerator()
        for (index, endpoint) in options.endpoints.enumerated() {
            var shard = ShardOptions(
                node: options.node, shardIndex: ShardIndex(index), incarnation: incarnation,
                memoryBytes: options.memoryBytes / options.endpoints.count,
                seed: generator.next())
            shard.evictionPolicy = options.evictionPolicy
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
                        options: shard, endpoint: endpoint, context: context, mailbox: Mailbox(),
                        control: mail.control, origin: mail.origins, logger: logger, disk: disk))
                shards.append(thread)
                endpoints.append(bound.description)
            } catch {
                for shard in shards { shard.stop() }
                context.terminate()
                throw NodeStartError(endpoint: endpoint.description, cause: error)
            }
        }
        return (shards, endpoints)
    }

    /// Blocks until the node has ended by itself, wants to, or was asked to: ``stop()`` does the
    /// rest.
    package func waitUntilEnded() -> NodeEnd {
        threads.ended.wait()
    }

    /// Says goodbye to the publisher, ends every thread and closes every socket. Returns when
    /// nothing is left.
    package func stop() {
        threads.warmUp?.stop()
        for shard in threads.shards { shard.stop() }
        threads.origin.stop()
        threads.queue?.stop()
        threads.mailbox.post(.stop)
        threads.control.join()
        threads.context.terminate()
    }
}
