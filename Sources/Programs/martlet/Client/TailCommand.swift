import ArgumentParser
import CacheModel
import CommandSurface
import MartletClient
import Threading

struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Follow the invalidations, one record a line.",
        discussion: """
            Begins with the next record, or after --from, until Ctrl-C, and says on standard error \
            when it listens. Each line tells the time of day at which this command heard of it, \
            the position, the strength, the scopes, the issuer (a claim), and the receipt: \
            how many nodes have applied it, after how long, and which have not within a quarter of \
            a second. Where records come faster than receipts can be asked for, … stands for the \
            issuer and the receipt. What the live channel loses is replayed; where the publisher \
            no longer has it, a line says so. A publisher that goes away is waited for. A key that \
            may read a part is shown what covers keys of that part, in words that name nothing \
            else.

              martlet tail
              martlet tail --from 1:42 --json
              martlet tail --no-receipts
            """)

    /// How long a node may take to apply a record before its line is printed without the node.
    private static let receiptPatience: Duration = .milliseconds(250)
    private static let pause: Duration = .milliseconds(500)

    @Option(
        help: .value("epoch:sequence", "Begin after this position."),
        transform: ArgumentText.position)
    var from: ClusterPosition?

    @Flag(help: "Do not ask for receipts and issuers.")
    var noReceipts = false

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let command = self
        try await Interruption.ending { try await command.follow() }
    }

    private func follow() async throws {
        let screen = TailScreen(
            style: cluster.style, wantsReceipts: !noReceipts, isQuiet: cluster.quiet)
        try await cluster.withClient(for: .manyAnswers) { client in
            let events = try await client.invalidations(
                from: from?.position, of: from?.cluster ?? .none)
            await screen.follows(events.cluster, after: from)
            try await Self.untilLineFails { fail in
                try await Self.show(events, on: screen, of: client, fail)
            }
            try await screen.finish()
            if let failure = events.failure { throw failure }
        }
    }

    /// Prints each record, and asks which nodes have applied it.
    ///
    /// - Parameter fail: told by a task of its own that a line cannot be written.
    private static func show(
        _ events: InvalidationStream, on screen: TailScreen, of client: CacheClient,
        _ fail: @escaping @Sendable (any Error) -> Void
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                repeat { await screen.passTime() } while await Task.slept(for: pause)
            }
            for await event in events {
                if events.isPartial { await screen.seesPart() }
                guard let position = try await screen.heard(event) else { continue }
                group.addTask {
                    let answer = await ask(client, position)
                    do {
                        try await screen.told(position, answer)
                    } catch {
                        fail(error)
                    }
                }
            }
            group.cancelAll()
        }
    }

    /// Does `work` until it ends, or a task of it fails, which a loop over what comes would not
    /// notice before more comes.
    private static func untilLineFails(
        _ work:
            @escaping @Sendable (
                _ fail: @escaping @Sendable (any Error) -> Void
            ) async throws -> Void
    ) async throws {
        let (failures, failure) = AsyncThrowingStream<Never, any Error>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for try await _ in failures {} }
            group.addTask { try await work { failure.finish(throwing: $0) } }
            try await group.next()
            group.cancelAll()
        }
    }

    private static func ask(
        _ client: CacheClient, _ position: LogPosition
    ) async -> Result<InvalidationReceipt, CacheError> {
        do throws(CacheError) {
            return .success(
                try await client.receipt(of: position, wait: .all, timeout: receiptPatience))
        } catch {
            return .failure(error)
        }
    }
}

/// What `tail` says, one sentence after the other: lines in their order, and on standard error what
/// happened to the publisher.
actor TailScreen {
    private let style: OutputStyle
    private var buffer: TailBuffer
    private var silence = TailSilence(now: .now)
    private var hasSaidRefusal = false
    private var hasSaidPart = false
    private var hasSaidListening = false
    private let isQuiet: Bool

    init(style: OutputStyle, wantsReceipts: Bool, isQuiet: Bool) {
        self.style = style
        self.isQuiet = isQuiet
        buffer = TailBuffer(wantsReceipts: wantsReceipts)
    }

    /// The stream is of a cluster's log, and was to begin after a position.
    func follows(_ cluster: ClusterID, after start: ClusterPosition?) {
        let isVoid = start?.cluster.contradicts(cluster) ?? false
        buffer.follows(cluster, isVoid: isVoid)
        if let start, isVoid {
            Console.complain(
                "\(start) is of another cluster: history is gone, and this one, \(cluster), is "
                    + "followed from the head of its log")
        }
    }

    /// - Returns: a position for which to ask for the receipt.
    func heard(_ event: InvalidationStream.Event) throws -> LogPosition? {
        if let sentence = silence.heard(event, now: .now) { remark(sentence) }
        if !hasSaidListening {
            hasSaidListening = true
            remark(Self.greeting(event))
        }
        let position = buffer.add(event, at: .now)
        try say(buffer.takeReady())
        return position
    }

    func told(_ position: LogPosition, _ answer: Result<InvalidationReceipt, CacheError>) throws {
        switch answer {
        case .success(let receipt): buffer.told(position, receipt)
        case .failure(let error):
            buffer.told(position, nil)
            if error.code == .refused || error.code == .unauthorised, !hasSaidRefusal {
                hasSaidRefusal = true
                Console.complain("no receipts: \(error.sentence(endpoints: []))")
            }
        }
        try say(buffer.takeReady())
    }

    /// The key may read only a part of the cluster.
    func seesPart() {
        guard !hasSaidPart else { return }
        hasSaidPart = true
        Console.complain(
            "your key may read a part of this cluster: records that cover that part are shown, "
                + "and wider scopes as the prefix of the keys that you may read")
    }

    /// To be called now and then.
    func passTime() {
        if let sentence = silence.passed(now: .now) { remark(sentence) }
    }

    private func remark(_ sentence: String) {
        if !isQuiet { Console.complain(sentence) }
    }

    /// That the publisher is heard: said once, with the first that is heard.
    static func greeting(_ event: InvalidationStream.Event) -> String {
        guard case .heartbeat(let head) = event else {
            return "listening for invalidations; Ctrl-C ends it"
        }
        return "listening for invalidations, the log ends at \(head); Ctrl-C ends it"
    }

    func finish() throws { try say(buffer.takeAll()) }

    private func say(_ lines: [TailLine]) throws {
        for line in lines { try line.output(style).say() }
    }
}
