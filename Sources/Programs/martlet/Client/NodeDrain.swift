import ByteCoding
import CacheModel
import CommandSurface
import MartletClient
import Threading

/// A drain under way: orders a node to leave, and looks until it has.
struct NodeDrain {
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

/// What became of a node that was ordered to leave.
struct DrainReport {
    enum Ending {
        case left
        /// It does not answer, its grant is over, and the publisher heard no goodbye.
        case silent
        /// It was not there to begin with.
        case absent
        /// Time is up, and it is still there.
        case staying(StatusSnapshot.NodeLine)
        /// Time is up, and the publisher does not tell.
        case unknown(CacheError)
    }

    var node: NodeID
    var ending: Ending
    var waited: Duration

    /// What the publisher's word about the node says of the run that was ordered to leave.
    ///
    /// - Parameter line: `nil` if the node is not configured any more.
    static func ending(of run: Incarnation, _ line: StatusSnapshot.NodeLine?) -> Ending {
        guard let line, line.incarnation == run else { return .left }
        return .staying(line)
    }

    /// That a node does not answer which the publisher knows.
    ///
    /// - Parameter failure: what came of the order.
    static func unreachable(
        _ line: StatusSnapshot.NodeLine, _ failure: CacheError
    ) -> CommandFailure {
        let outcome =
            failure.mayHaveHappened ? ", and may drain all the same" : ", so it was not drained"
        let remedy =
            line.grantLeft.map {
                "its grant lasts \(FigureText.timeLeft($0)) more, and if it is dead, "
                    + "martlet forget \(line.node) clears it away then"
            } ?? "if it is dead, martlet forget \(line.node) clears it away"
        return CommandFailure(
            .unreachable, "node \(line.node) does not answer\(outcome); \(remedy)")
    }

    static func waiting(for node: NodeID, _ ending: Ending) -> String {
        guard case .staying(let line) = ending else {
            return "waiting for \(node) to leave: the publisher does not answer"
        }
        let grant = line.grantLeft.map { ", grant \(FigureText.timeLeft($0))" } ?? ""
        return "waiting for \(node) to leave: \(line.state)\(grant)"
    }

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput(style, json: json) { output in
            if isGone { output.writeLine(sentence) }
        }
        if !isGone { output.complain(sentence, .incomplete) }
        return output
    }

    private var isGone: Bool {
        switch ending {
        case .left, .silent, .absent: true
        case .staying, .unknown: false
        }
    }

    private var sentence: String {
        let time = FigureText.timeLeft(waited)
        switch ending {
        case .left:
            return "\(node) has left after \(time): no invalidation waits for it"
        case .silent:
            return "\(node) has ended after \(time) without a goodbye that the publisher heard; "
                + "its grant is over, so no invalidation waits for it"
        case .absent:
            return "\(node) is not there: it does not answer, and the publisher knows no run of "
                + "it; nothing to drain (martlet node --id \(node) starts it)"
        case .staying(let line):
            let grant = line.grantLeft.map { ", grant \(FigureText.timeLeft($0))" } ?? ""
            return "\(node) drains and is still there after \(time) (\(line.state)\(grant)); ask "
                + "again with a longer --timeout, or see its log for what it finishes"
        case .unknown(let error):
            return "\(node) drains, but whether it has left is not known: "
                + error.sentence(endpoints: [])
        }
    }

    private var json: JSONDocument {
        let word =
            switch ending {
            case .left: "left"
            case .silent: "silent"
            case .absent: "absent"
            case .staying: "staying"
            case .unknown: "unknown"
            }
        return .object([
            ("node", .node(node)), ("gone", .bool(isGone)), ("ending", .text(word)),
            ("waited_ms", .milliseconds(waited)), ("why", .text(sentence)),
        ])
    }
}
