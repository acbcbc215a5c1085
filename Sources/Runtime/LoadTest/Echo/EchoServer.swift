import Threading
import ZeroMQ

/// An echo that speaks the protocol: every lookup is a hit, every store succeeds, and nothing is
/// kept. It shows the rate that a generator reaches without the work of a cache.
///
///     drivers ══DEALER══▶ ROUTER, one thread a shard: head of the request, canned results ══▶
///
/// It has as many shards as the generator has threads, each with a thread and an I/O thread of its
/// own, with the same sockets and messages as a node. They run beside the drivers: on a machine
/// that both fill, the measured rate is below the generator's limit.
final class EchoServer: Sendable {
    /// High-water mark of answers to one generator: libzmq drops messages beyond it, and frees
    /// capacity only for half of it at a time. A generator has at most 65 536 messages in flight.
    private static let answersMax = 262_144

    /// One for each shard.
    let endpoints: [String]
    private let contexts: [Context]
    private let threads: [OwnedThread<Void>]

    /// Listens on ports that the system chooses.
    ///
    /// - Parameter valueBytes: size of every returned value.
    /// - Throws: ``ZeroMQ/ZeroMQError`` or ``Threading/ThreadStartError``. Nothing runs then.
    init(shardCount: Int, valueBytes: Int) throws {
        let contexts = try (0..<shardCount).map { _ in try Context() }
        let all = Promise<[String]>()
        var threads: [OwnedThread<Void>] = []
        var endpoints: [String] = []
        do {
            for context in contexts {
                let bound = Promise<Result<String, ZeroMQError>>()
                threads.append(
                    try OwnedThread(name: "echo") {
                        Self.serve(context, valueBytes: valueBytes, bound: bound, all: all)
                    })
                endpoints.append(try bound.wait().get())
            }
        } catch {
            all.fulfil([])
            for context in contexts { context.shutdown() }
            for thread in threads { thread.join() }
            throw error
        }
        all.fulfil(endpoints)
        (self.contexts, self.threads, self.endpoints) = (contexts, threads, endpoints)
    }

    /// Ends the threads and waits for them.
    func stop() {
        for context in contexts { context.shutdown() }
        for thread in threads { thread.join() }
    }

    private static func serve(
        _ context: Context, valueBytes: Int, bound: Promise<Result<String, ZeroMQError>>,
        all: Promise<[String]>
    ) {
        do throws(ZeroMQError) {
            let socket = try Socket(context, .router)
            try socket.set(.sendHighWaterMark, to: answersMax)
            bound.fulfil(.success(try socket.bind(anywhere).description))
            var loop = EchoLoop(socket, all.wait(), valueBytes: valueBytes)
            try loop.run()
        } catch {
            // After a shutdown this is how the loop ends, and the promise was kept.
            bound.fulfil(.failure(error))
        }
    }

    private static var anywhere: Endpoint {
        do {
            return try Endpoint("tcp://127.0.0.1:0")
        } catch {
            preconditionFailure("loopback is an endpoint")
        }
    }
}
