import CacheModel
import CommandSurface
import MartletClient

/// A drain under way: orders a node to leave, and looks until it has.
struct NodeDrain {
    /// Between two looks.
    private static let pause: Duration = .milliseconds(100)
    /// How long one look waits for an answer.
    private static let lookTimeout: Duration = .seconds(2)

    let node: NodeID
    let client: CacheClient
    let patience: Duration
    let isQuiet: Bool
    private let began = ContinuousClock.now

    /// - Throws: ``CommandFailure`` if the node is there as far as the publisher knows and does not
    ///   answer; ``MartletClient/CacheError`` where the cluster does not know it.
    func report() async throws -> DrainReport {
        do throws(CacheError) {
            let run = try await client.cluster.drain(
                node, timeout: min(patience, client.configuration.timeout))
            return DrainReport(
                node: node, ending: await watch(run), waited: ContinuousClock.now - began)
        } catch {
            guard [.disconnected, .timedOut].contains(error.code) else { throw error }
            return try await absent(error)
        }
    }

    /// It does not answer: it may be gone already.
    private func absent(_ failure: CacheError) async throws -> DrainReport {
        let line: StatusSnapshot.NodeLine?
        do throws(CacheError) {
            line = try await look()
        } catch {
            throw CommandFailure(failure, endpoints: [])
        }
        guard let line, line.incarnation != .none else {
            return DrainReport(node: node, ending: .absent, waited: ContinuousClock.now - began)
        }
        throw DrainReport.unreachable(line, failure)
    }

    private func watch(_ run: Incarnation) async -> DrainReport.Ending {
        let screen = WaitingLine(isQuiet: isQuiet)
        defer { screen.finish() }
        let end = began + patience
        while true {
            let ending: DrainReport.Ending
            do throws(CacheError) {
                let line = try await look()
                ending = DrainReport.ending(of: run, line)
                if case .staying = ending, line?.grantLeft == nil, !(await answers()) {
                    return .silent
                }
            } catch {
                ending = .unknown(error)
            }
            switch ending {
            case .left, .absent, .silent: return ending
            case .staying, .unknown:
                guard ContinuousClock.now < end, await Task.slept(for: Self.pause) else {
                    return ending
                }
            }
            screen.show(DrainReport.waiting(for: node, ending))
        }
    }

    private func look() async throws(CacheError) -> StatusSnapshot.NodeLine? {
        try await client.cluster.publisherStatus(timeout: Self.lookTimeout).nodes
            .first { $0.node == node }
    }

    private func answers() async -> Bool {
        do throws(CacheError) {
            _ = try await client.cluster.status(of: node, timeout: Self.lookTimeout)
            return true
        } catch {
            return false
        }
    }
}
