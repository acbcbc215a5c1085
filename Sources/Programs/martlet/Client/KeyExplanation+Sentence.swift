import CacheModel
import CommandSurface
import MartletClient

extension KeyExplanation {
    var sentence: String {
        switch verdict {
        case .fresh:
            "Served as fresh: \(origin), and nothing that covers it was invalidated since."
        case .absent: "Not there\(lastLoss)\(loading)."
        case .expired: "Not served: its time to live is over\(loading)."
        case .invalidated: "Not served: \(origin), before \(culprits(\.hard))\(loading)."
        case .soft:
            "Stale: \(origin), before \(culprits(\.soft)); served to readers that allow stale "
                + "values."
        case .withheld:
            "Hidden: the node has lost the log since it was filled; a load may ask the origin "
                + "whether it is still valid\(loading)."
        case .forgotten:
            "Not served: the node has lost the log since it was filled, and without ETag or "
                + "version the origin cannot be asked about it\(loading)."
        case .suspectServed:
            "Served as stale: the node has no lease, so the entry may be out of date."
        case .suspectRefused: "Refused (BEHIND): the node has no lease."
        case .suspectHidden: "Hidden: the node has no lease, so a reader asks the origin."
        }
    }

    private var origin: String {
        guard let entry else { return "it was there" }
        guard let filled = entry.filled else { return "it was filled in an earlier log" }
        return "it was filled at \(filled)"
    }

    private var loading: String {
        loadLeft.map { "; it is being loaded, for \(FigureText.timeLeft($0)) at most" } ?? ""
    }

    /// What took away the entry that was there last, if the node remembers it.
    private var lastLoss: String {
        guard entry == nil, let floor = floors.first(where: \.isAboveEntry) else { return "" }
        let place = floor.hard.map { " at \($0)" } ?? " in an earlier log"
        return ": an entry was hidden by the invalidation of \(floor.cover.text)\(place)"
    }

    /// The invalidations that lie above the entry.
    private func culprits(_ position: (Floor) -> LogPosition?) -> String {
        let found = floors.filter { $0.isAboveEntry && position($0) != nil }
        guard !found.isEmpty else { return "an invalidation of it" }
        return found.map { floor in
            let place = position(floor).map { " at \($0)" } ?? ""
            return "the invalidation of \(floor.cover.text)\(place)"
        }.joined(separator: " and ")
    }
}

extension KeyExplanation.Floor.Cover {
    /// As it is typed after `martlet invalidate`.
    var text: String {
        switch self {
        case .key: "the key"
        case .tag([]): "a tag that shares its place with others"
        case .tag(let name): "tag \(HarmlessText.line(name))"
        case .prefix(let name): "prefix \(HarmlessText.line(name))"
        case .namespace: "the namespace"
        case .everything: "all"
        case .history: "history"
        }
    }
}
