public import CacheModel
public import Tracing
package import ZeroMQ
import ByteCoding

/// How a ``CacheClient`` finds its cluster and how patient it is.
public struct CacheClientConfiguration: Sendable {
    /// Publishers or shards, such as `tcp://127.0.0.1:7400`; at least one. The client tries them in
    /// turn, and any one of them returns the whole topology. Of several publishers that share a log
    /// name all: the client looks for the one that leads there. In a cluster that authenticates
    /// clients, each endpoint ends with `?key=` and the public key of the server that listens
    /// there.
    public var endpoints: [String]
    /// Shard endpoints of an earlier topology, tried if none of ``endpoints`` answers. Another
    /// process may listen there by now. So the client ignores a topology of another cluster than
    /// ``keptCluster``. It sends no store, removal or invalidation until the cluster is confirmed.
    /// Malformed endpoints are ignored, too.
    public var keptEndpoints: [String] = []
    /// The cluster of ``keptEndpoints``: ``ClusterTopology/cluster`` at that time.
    public var keptCluster = ClusterID.none
    /// How long a call may take unless its options say otherwise. Above zero.
    public var timeout: Duration = .seconds(5)
    /// Time from the making of the client to the end of its last call, whatever the timeout of that
    /// call. `nil`: no such end.
    package var lifetimeMax: Duration?
    /// In a replicated topology: the preferred node. `nil` prefers the node with the lowest median
    /// round trip. While the node is unreachable, another one is asked.
    public var near: NodeID?
    /// The name that this client puts into its invalidations, for readers of the log. The publisher
    /// does not verify it. `nil` sends no name.
    public var issuer: Issuer? = CacheClientConfiguration.programName
    /// Whether reads reflect every invalidation, removal and replicated store with a position known
    /// to this client. A lagging shard waits, and finally answers ``CacheError/Code/behind``.
    public var readsYourWrites = true
    /// Whether a read reflects at least the position of every answer before it, from any node.
    public var readsMonotonically = false
    /// How long the client's thread polls for answers before it sleeps, zero to ten milliseconds.
    /// Zero, the default, sleeps at once. From about 100 µs on, the thread may still be awake when
    /// an answer comes, and each wait costs up to that much time of a core: for machines with free
    /// cores.
    public var spin: Duration = .zero
    /// The client's key pair, for a cluster that authenticates clients; then all endpoints have a
    /// `?key=`. `nil`: the cluster authenticates no clients, and no endpoint has one.
    public var keys: ClientKeys?
    /// Records a span for each operation of the client, below the span of the calling task. The
    /// trace context of the span goes to the nodes and their origins.
    ///
    ///     configuration.tracer = InstrumentationSystem.tracer
    ///
    /// `nil`, the default, records nothing, even if the program has bootstrapped a tracer. Reading
    /// the global tracer takes a lock that all threads share, which is too slow for a get. With a
    /// tracer, each operation pays for the work of the tracer. Recorded operations share no
    /// messages with others, as ``ReadOptions/trace`` says. Spans never contain keys, tags or
    /// values.
    public var tracer: (any Tracer)?

    /// The defaults: five seconds, the nearest node, the program's name, own effects visible, no
    /// spin, no tracer.
    public init(endpoints: [String]) { self.endpoints = endpoints }

    private static var programName: Issuer? {
        CommandLine.arguments.first.flatMap { path in
            path.split(separator: "/").last.flatMap { Issuer(shortening: String($0)) }
        }
    }
}

/// A client's key pair, for a cluster that authenticates clients. `martlet keygen` makes one.
public struct ClientKeys: Sendable {
    package let pair: CurveKeyPair

    /// - Parameters:
    ///   - publicKey: 64 hexadecimal digits; the cluster's access lists name it.
    ///   - secretKey: 64 hexadecimal digits. Keep it where other secrets are kept.
    /// - Returns: `nil` if either is malformed, or they are not halves of one key pair.
    public init?(publicKey: String, secretKey: String) {
        guard let publicKey = PublicKey(publicKey),
            let secretKey = HexText.bytes(of: secretKey).flatMap({ CurveSecretKey(bytes: $0) }),
            let pair = CurveKeyPair(publicKey: publicKey, secretKey: secretKey)
        else { return nil }
        self.pair = pair
    }

    /// - Parameter text: the contents of a file that `martlet keygen` wrote.
    /// - Returns: `nil` if it is malformed.
    public init?(text: String) {
        do {
            pair = try CurveKeyPair(text: text)
        } catch {
            return nil
        }
    }

    package init(_ pair: CurveKeyPair) { self.pair = pair }
}
