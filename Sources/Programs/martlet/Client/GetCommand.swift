import ArgumentParser
import CacheModel
import CommandSurface
import MartletClient

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the values of keys.",
        discussion: """
            Values go to standard output, a line each; what is not there, and why a value is \
            stale, to standard error. Ends with 1 if a key is not there, with 6 if it is there \
            and not fresh enough for what was asked.

            On a terminal, control bytes and what is not UTF-8 are written as \\xNN. --json has a \
            value as text, and one that is not UTF-8 in value_base64.

              martlet get user:17
              martlet get --namespace images --raw logo.png > logo.png
              martlet get user:17 user:18 --json
            """)

    @Argument(help: "What to look up.", transform: ArgumentText.key)
    var keys: [CacheKey]

    @Option(
        help: .value("epoch:sequence", "Answer only from a node that has applied this position."),
        transform: ArgumentText.position)
    var atLeast: ClusterPosition?

    @Flag(
        help: """
            Ask the publisher where it stands, wait until the node has passed that, and answer \
            nothing stale.
            """)
    var fresh = false

    @Flag(help: "Take a stale value where the namespace would withhold it.")
    var allowStale = false

    @Option(
        help: .value(
            "policy",
            """
            Where nodes load values: answer by this policy instead of the namespace's \
            (\(ReadPolicy.allCases.map(\.rawValue).joined(separator: ", "))).
            """),
        transform: ArgumentText.readPolicy)
    var policy: ReadPolicy?

    @Flag(help: "Do not have anything loaded: the same as --policy cache-only.")
    var onlyIfCached = false

    @Flag(help: "Have it loaded, whatever is there: the same as --policy network-only.")
    var bypass = false

    @Option(
        help: .value("duration", "What is older is not fresh enough."),
        transform: ArgumentText.duration)
    var maxAge: Duration?

    @Option(
        help: .value("duration", "Accept values past their TTL by no more than this."),
        transform: ArgumentText.duration)
    var maxStale: Duration?

    @Option(
        help: "Ask this node, whether it owns the key or not.",
        completion: ClusterNames.nodes, transform: ArgumentText.node)
    var node: NodeID?

    @Option(
        help: "Where nodes are replicas, ask this one while it can be reached.",
        completion: ClusterNames.nodes, transform: ArgumentText.node)
    var near: NodeID?

    @Flag(help: "Exactly the value's bytes, without a newline, on a terminal too.")
    var raw = false

    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func validate() throws {
        try refuse(
            if: fresh && allowStale, "--fresh and --allow-stale exclude each other; give one")
        try refuse(if: raw && cluster.json, "--raw and --json exclude each other; give one")
        try refuse(
            if: [policy != nil, onlyIfCached, bypass].count(where: { $0 }) > 1,
            "--policy, --only-if-cached and --bypass exclude each other")
        try refuse(
            if: fresh && maxStale != nil, "--fresh and --max-stale exclude each other; give one")
        try refuse(
            if: node != nil && near != nil, "--node leaves nothing for --near to choose; give one")
    }

    var options: ReadOptions {
        var options = ReadOptions()
        options.atLeast = atLeast?.position
        options.atLeastCluster = atLeast?.cluster ?? .none
        options.isFresh = fresh
        options.allowsStale = allowStale
        options.policy = onlyIfCached ? .cacheOnly : bypass ? .networkOnly : policy
        options.maxAge = maxAge
        options.maxStale = maxStale
        options.node = node
        options.wantsDetails = cluster.json
        return options
    }

    func run() async throws {
        let (results, told) = try await cluster.withClient(near: near) { client in
            let results = await client.results(for: keys, in: room.room, options: options)
            // Thrown, so that the reason is looked for why the node cannot be reached.
            if results.count == 1, !cluster.json, case .failure(let error) = results[0],
                error.code == .disconnected
            {
                throw error
            }
            return (results, client.clusterID)
        }
        let answers = zip(keys, results).map { GetReport.Answer(key: $0, result: $1) }
        let report = GetReport(
            answers: answers, isFreshDemanded: fresh, endpoints: try cluster.endpoints,
            cluster: told)
        let manner: GetReport.Manner =
            raw ? .raw : Console.isOutputTerminal ? .screen : .lines
        try cluster.finish(report.output(cluster.style, manner))
    }
}
