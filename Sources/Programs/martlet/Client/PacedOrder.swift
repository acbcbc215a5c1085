import CacheModel
import CommandSurface
import MartletClient

/// An invalidation that takes its time: begins it, looks how far it is, and fetches the receipt of
/// its last slice, which is the receipt of all.
struct PacedOrder: Sendable {
    /// Scopes of one order.
    static let scopesMax = 16
    /// Between two looks.
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
