import CacheWorkload

/// A list of things with their weights: `get:0.9,set:0.1`. One thing alone needs none.
enum WeightedText {
    /// - Parameters:
    ///   - example: what such a list looks like, for a sentence.
    ///   - limit: most things.
    /// - Throws: a sentence if `text` is no such list.
    static func parse(
        _ text: String, example: String, limit: Int
    ) throws(TextProblem) -> [(thing: String, weight: Double)] {
        let items = text.split(separator: ",", omittingEmptySubsequences: false)
        guard items.count <= limit else {
            throw TextProblem("there are \(items.count) parts; give at most \(limit)")
        }
        var found: [(thing: String, weight: Double)] = []
        for item in items {
            // People put a space after a comma.
            let parts = item.drop { $0 == " " }.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false
            ).map(String.init)
            guard let thing = parts.first, !thing.isEmpty else {
                throw TextProblem(
                    "\(TextProblem.quote(text)) has an empty part; write a list such as \(example)")
            }
            guard parts.count == 2 || items.count == 1 else {
                throw TextProblem(
                    "\(TextProblem.quote(thing)) has no weight; give each part one, such as "
                        + example)
            }
            found.append((thing, parts.count == 2 ? try weight(parts[1], of: thing) : 1))
        }
        return found
    }

    /// `things` as a list; one alone is written without its weight.
    static func format(_ things: [(thing: String, weight: Double)]) -> String {
        if let only = things.first, things.count == 1 { return only.thing }
        return things.map { "\($0.thing):\(DecimalText.format($0.weight))" }
            .joined(separator: ",")
    }

    private static func weight(_ text: String, of thing: String) throws(TextProblem) -> Double {
        if Double(text) == 0 {
            throw TextProblem(
                "\(TextProblem.quote(thing)) has a weight of 0; leave it out, or give it one")
        }
        return try DecimalText.parse(text, "a weight", in: WorkloadLimits.weight)
    }
}
