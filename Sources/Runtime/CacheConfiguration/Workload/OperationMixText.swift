import CacheModel
package import CacheWorkload

/// How people write a mix: `get:0.9,set:0.08,invalidate:0.02`, `get`, or one of YCSB's by its name,
/// `ycsb-a` to `ycsb-f`.
package enum OperationMixText {
    private static let example = "get:0.9,set:0.1"

    /// - Returns: the mix, and which of YCSB's it is, if it was named so: that one has a
    ///   distribution of its own.
    /// - Throws: a sentence if `text` is no mix.
    package static func parse(
        _ text: String
    ) throws(TextProblem) -> (mix: OperationMix, ycsb: YCSBWorkload?) {
        if let named = YCSBWorkload(rawValue: text) { return (named.mix, named) }
        let items = try WeightedText.parse(
            text, example: example, limit: OperationKind.allCases.count)
        var parts: [OperationMix.Part] = []
        for item in items {
            guard let kind = OperationKind(rawValue: item.thing) else { throw unknown(item.thing) }
            guard !parts.contains(where: { $0.kind == kind }) else {
                throw TextProblem("\(kind.rawValue) is there twice; give it one weight")
            }
            parts.append(.init(kind, weight: item.weight))
        }
        // The weight of one alone says nothing, so that it is not kept.
        if let only = parts.first, parts.count == 1 { return (.only(only.kind), nil) }
        return (OperationMix(parts), nil)
    }

    package static func format(_ mix: OperationMix) -> String {
        WeightedText.format(mix.parts.map { ($0.kind.rawValue, $0.weight) })
    }

    private static func unknown(_ name: String) -> TextProblem {
        if YCSBWorkload(rawValue: name) != nil {
            return TextProblem("\(name) is a whole mix; give it alone, without a weight")
        }
        let kinds = OperationKind.allCases.map(\.rawValue)
        let all = kinds + YCSBWorkload.allCases.map(\.rawValue)
        let remedy =
            NearestName.find(name, among: all).map { "did you mean \($0)?" }
            ?? "give \(kinds.joined(separator: ", ")), or ycsb-a to ycsb-f alone"
        return TextProblem("\(TextProblem.quote(name)) is not an operation; \(remedy)")
    }
}
