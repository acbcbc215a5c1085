import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Foundation
import Testing
import TestSupport

/// The table of docs/reading-through.md, and how each of its cells is played through a shard.
enum ReadTable {
    enum Held: String, CaseIterable {
        case fresh = "fresh"
        case stale = "past its life, in stale-while-revalidate"
        case staleIfError = "past its life, in stale-if-error"
        case expired = "expired"
        case absent = "absent"
        case negative = "negative"
        case hard = "hard invalidated"
        case soft = "soft invalidated"
    }

    enum Origin: String, CaseIterable {
        case ok = "200"
        case unchanged = "304"
        case absent = "404"
        case refused = "403"
        case error = "5xx"
        case timeout = "timeout"
        case slow = "slow"
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var policy: ReadPolicy
        var held: Held
        var cells: [String]

        var testDescription: String { "\(policy.rawValue), \(held.rawValue)" }
    }

    /// What one reader is told, in the table's words.
    static func play(_ policy: ReadPolicy, _ held: Held, _ origin: Origin) -> String {
        var shard = ShardHarness()
        prepare(&shard, held)
        configure(&shard, policy)
        var answers = outcomes(shard.send(shard.getFrame(["a"])))
        let loads = shard.takeLoads()
        precondition(loads.count <= 1)
        guard let load = loads.first else { return word(answers[0]) }
        let isBehind = !answers.isEmpty
        if origin == .slow, !isBehind {
            shard.advance(by: .milliseconds(200))
            answers = shard.finishedOutcomes()
            let late = shard.end(load, .text("new"))
            return answers.isEmpty ? word(late[0]) : word(answers[0]) + " ↻"
        }
        let ended = shard.end(load, outcome(of: origin, load))
        return isBehind ? word(answers[0]) + " ↻" : word(ended[0])
    }

    private static func configure(_ shard: inout ShardHarness, _ read: ReadPolicy) {
        shard.readThrough { policy, origin in
            policy.timeToLive = .seconds(10)
            policy.staleWindow = .seconds(30)
            origin.read = read
            origin.staleWhileRevalidate = .seconds(5)
            origin.staleIfError = .seconds(60)
            origin.softTimeout = .milliseconds(100)
        }
    }

    private static func prepare(_ shard: inout ShardHarness, _ held: Held) {
        configure(&shard, .cacheFirst)
        guard held != .absent else { return }
        let load = shard.ask("a")
        if held == .negative {
            _ = shard.end(load, .none(for: .seconds(5)))
            return
        }
        _ = shard.end(
            load,
            .text("old") {
                $0.validator = Validator("\"1\"")
                $0.tags = [.named("t")]
            })
        switch held {
        case .stale: shard.advance(by: .seconds(12))
        case .staleIfError: shard.advance(by: .seconds(40))
        case .expired: shard.advance(by: .seconds(100))
        case .hard: _ = shard.invalidate(.tag("t"))
        case .soft: _ = shard.invalidate(.tag("t"), strength: .soft)
        case .fresh, .absent, .negative: break
        }
    }

    private static func outcome(of origin: Origin, _ load: ShardLoad) -> LoadOutcome {
        switch origin {
        case .ok, .slow: .text("new")
        // Nobody can be told that nothing has changed who did not ask about something.
        case .unchanged:
            load.request.validator == nil ? .text("new") : .unchanged(LoadedFacts())
        case .absent: .none()
        case .refused: .error(.refused)
        case .error: .error(.unavailable)
        case .timeout: .error(.timedOut)
        }
    }

    private static func outcomes(_ replies: [ShardHarness.Reply]) -> [ShardHarness.Outcome] {
        var found: [ShardHarness.Outcome] = []
        for case .results(_, let outcomes) in replies { found += outcomes }
        return found
    }

    private static func word(_ outcome: ShardHarness.Outcome) -> String {
        switch outcome.status {
        case .hit: outcome.text == "old" ? "held" : "loaded"
        case .stale: outcome.text == "old" ? "stale" : "?"
        case .miss: outcome.flags.contains(.negative) ? "none" : "miss"
        case .failed: "failed"
        default: "?"
        }
    }

    // MARK: The document

    static var document: String {
        (try? Repository.text(of: "docs/reading-through.md")) ?? ""
    }

    /// The rows of the document's table of policies.
    static let rows: [Row] = document.split(separator: "\n").compactMap { line in
        let cells = line.split(separator: "|").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard cells.count == 2 + Origin.allCases.count,
            let policy = ReadPolicy(rawValue: cells[0].filter { $0 != "`" }),
            let held = Held(rawValue: cells[1])
        else { return nil }
        return Row(policy: policy, held: held, cells: Array(cells[2...]))
    }
}
