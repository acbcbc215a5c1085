import CacheModel
import Threading
import ZeroMQ

/// Nodes that answer as they are told, over real sockets, and remember what they were asked.
final class ScriptedCluster: Sendable {
    let endpoints: [String]
    private let contexts: [Context]
    private let threads: [OwnedThread<Void>]
    private let books: [Guarded<NodeSeen>]

    init(_ script: NodeScript) throws {
        let all = Promise<[String]>()
        var contexts: [Context] = []
        var threads: [OwnedThread<Void>] = []
        var books: [Guarded<NodeSeen>] = []
        var endpoints: [String] = []
        for index in 0..<script.nodeCount {
            let context = try Context()
            let bound = Promise<Result<String, any Error>>()
            let book = Guarded(NodeSeen())
            threads.append(
                try OwnedThread(name: "scripted") {
                    do {
                        let socket = try Socket(context, .router)
                        let endpoint = try socket.bind(Endpoint("tcp://127.0.0.1:0"))
                        bound.fulfil(.success(endpoint.description))
                        var node = ScriptedNode(
                            socket, script, all.wait(), isFirst: index == 0, book)
                        try node.run()
                    } catch {
                        // So it ends when its context does.
                        bound.fulfil(.failure(error))
                    }
                })
            endpoints.append(try bound.wait().get())
            contexts.append(context)
            books.append(book)
        }
        all.fulfil(endpoints)
        (self.endpoints, self.contexts) = (endpoints, contexts)
        (self.threads, self.books) = (threads, books)
    }

    /// What each node was asked.
    var seen: [NodeSeen] { books.map { $0.withLock { $0 } } }

    func stop() {
        for context in contexts { context.shutdown() }
        for thread in threads { thread.join() }
    }
}
