import ByteCoding
import CacheConfiguration
import CacheHTTP
import CacheModel
import CommandSurface
import MartletClient

/// An invalidation that takes its time: begins it, looks how far it is, and fetches the receipt of
/// its last slice, which is the receipt of all.
struct PacedOrder: Sendable {
    /// Scopes of one order.
    static let scopesMax = 16
    private static let pause: Duration = .milliseconds(250)
    /// How long one look waits for an answer.
    private static let lookTimeout: Duration = .seconds(2)
    /// How long the publisher may be away before the command ends without it.
    private static let awayMax: Duration = .seconds(60)

    let order: InvalidationRequest
    let span: Duration
    let isQuiet: Bool

    /// Says what became of it. Ctrl-C ends the watching, and nothing else.
    func run(in cluster: ClusterOptions) async throws {
        let report = try await Interruption.result {
            try await cluster.withClient(for: .manyAnswers) { try await carriedOut(by: $0) }
        }
        guard let report else { throw PacedReport.unwatched }
        try cluster.finish(report.output(cluster.style), confirms: true)
    }

    private func carriedOut(by client: CacheClient) async throws -> PacedReport {
        let begun = try await client.invalidate(
            order.scopes, over: span, timeout: order.patience, strength: order.strength)
        guard order.wait != .none else {
            return PacedReport(order: order, pacing: begun, cluster: client.clusterID)
        }
        let ended = try await watch(begun, client)
        guard ended.state == .over, let last = ended.last else {
            return PacedReport(order: order, pacing: ended, cluster: client.clusterID)
        }
        let receipt = try await client.receipt(
            of: last, wait: order.wait, timeout: order.patience)
        return PacedReport(
            order: order, pacing: ended, receipt: receipt, cluster: client.clusterID)
    }

    /// Looks until it is over or was cancelled. A publisher that is away meanwhile is waited for.
    private func watch(
        _ begun: PacedInvalidation, _ client: CacheClient
    ) async throws -> PacedInvalidation {
        let screen = WaitingLine(isQuiet: isQuiet)
        defer { screen.finish() }
        var latest = begun
        var heardAt = ContinuousClock.now
        while latest.state == .running {
            screen.show(latest.progress)
            try await Task.sleep(for: Self.pause)
            switch await look(client) {
            case .success(let all):
                guard let found = all.last(where: { $0.id == begun.id && $0.span == begun.span })
                else { throw PacedReport.forgotten(latest) }
                latest = found
                heardAt = .now
            case .failure(let error):
                guard [.disconnected, .timedOut].contains(error.code) else { throw error }
                guard ContinuousClock.now - heardAt < Self.awayMax else {
                    throw PacedReport.lost(latest)
                }
                screen.show(latest.progress + " · the publisher does not answer")
            }
        }
        return latest
    }

    private func look(_ client: CacheClient) async -> Result<[PacedInvalidation], CacheError> {
        do throws(CacheError) {
            return .success(try await client.cluster.pacedInvalidations(timeout: Self.lookTimeout))
        } catch {
            return .failure(error)
        }
    }
}

/// What became of an invalidation that takes its time, for people and scripts.
struct PacedReport {
    var order: InvalidationRequest
    var pacing: PacedInvalidation
    /// Of its last slice; `nil` if it was not waited for, or the pacing was cancelled.
    var receipt: InvalidationReceipt?
    /// Of which cluster positions are; none where that is not known.
    var cluster = ClusterID.none

    func output(_ style: OutputStyle) -> CommandOutput {
        var output: CommandOutput
        if let receipt {
            output = InvalidationReport(
                order: order, receipt: receipt, pacing: pacing, cluster: cluster
            ).output(style)
        } else {
            output = CommandOutput(style, json: json) { $0.writeLine(sentence) }
        }
        if pacing.state == .cancelled {
            output.complain(
                "not complete: pacing \(pacing.id) was cancelled; what it had hidden stays hidden",
                .incomplete)
        }
        return output
    }

    private var sentence: String {
        switch pacing.state {
        case .running, .over:
            let end = pacing.isDurable ? "" : ", and forgets if it ends: its log is in memory"
            return "pacing \(pacing.id) hides \(pacing.summary) over "
                + "\(DurationText.format(pacing.span)), in \(pacing.sliceCount) parts; the "
                + "publisher continues by itself\(end) · martlet pacing shows how far it is"
        case .cancelled:
            return "pacing \(pacing.id) had hidden \(FigureText.ratio(pacing.share)) of the keys "
                + "when it was cancelled"
        }
    }

    private var json: JSONDocument {
        let members: [JSONDocument.Member] = [
            ("scopes", .list(order.scopes.map(JSONDocument.scope))),
            ("wait", .text(order.wait.rawValue)),
            ("complete", .bool(order.wait == .none && pacing.state != .cancelled)),
            ("applied", .list([])), ("expired", .list([])), ("pending", .list([])),
            ("pacing", .pacing(pacing)),
        ]
        return .object(JSONDocument.place(pacing.last, of: cluster) + members)
    }

    // MARK: Failures

    static func forgotten(_ latest: PacedInvalidation) -> CommandFailure {
        let why =
            latest.isDurable
            ? "so many have ended since, or its directory is another"
            : "its log is in memory and it was started again"
        return CommandFailure(
            .incomplete,
            "the publisher does not know pacing \(latest.id) any more: \(why). "
                + "\(FigureText.ratio(latest.share)) of the keys were hidden when it was last "
                + "seen; invalidate again what is left")
    }

    static var unwatched: CommandFailure {
        CommandFailure(
            .incomplete,
            "not watched any more; the publisher continues to hide: martlet pacing shows how far "
                + "it is, martlet pacing cancel stops it")
    }

    static func lost(_ latest: PacedInvalidation) -> CommandFailure {
        let fate =
            latest.isDurable
            ? "it continues once the publisher is back, martlet pacing shows it then"
            : "the publisher's log is in memory, so if it ended, what was left was not invalidated"
        return CommandFailure(
            .unreachable,
            "the publisher does not answer any more; \(FigureText.ratio(latest.share)) of the "
                + "keys were hidden when it last did; \(fate)")
    }
}
