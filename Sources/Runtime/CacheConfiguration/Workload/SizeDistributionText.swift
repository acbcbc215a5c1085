package import CacheWorkload

/// How people write sizes: `100B`, `16B..1KiB` for every size between them, or a list with weights
/// such as `64B:0.7,1KiB..4KiB:0.25,64KiB:0.05`.
package enum SizeDistributionText {
    private static let example = "64B:0.7,1KiB:0.3"

    /// - Throws: a sentence if `text` is no sizes, or one of them is not in `range`.
    package static func parse(
        _ text: String, in range: ClosedRange<Int>
    ) throws(TextProblem) -> SizeDistribution {
        let items = try WeightedText.parse(
            text, example: example, limit: WorkloadLimits.sizeParts.upperBound)
        var parts: [SizeDistribution.Part] = []
        for item in items {
            parts.append(.init(try sizes(item.thing, in: range), weight: item.weight))
        }
        // The weight of one alone says nothing, so that it is not kept.
        if let only = parts.first, parts.count == 1 { return .uniform(only.bytes) }
        return SizeDistribution(parts)
    }

    package static func format(_ sizes: SizeDistribution) -> String {
        WeightedText.format(sizes.parts.map { (format($0.bytes), $0.weight) })
    }

    private static func sizes(
        _ text: String, in range: ClosedRange<Int>
    ) throws(TextProblem) -> ClosedRange<Int> {
        let ends = text.split(separator: "..", omittingEmptySubsequences: false).map(String.init)
        guard ends.count <= 2 else {
            throw TextProblem("\(TextProblem.quote(text)) is no range; write one such as 16B..1KiB")
        }
        let first = try ByteSizeText.parse(ends[0], in: range)
        let last = ends.count == 2 ? try ByteSizeText.parse(ends[1], in: range) : first
        guard first <= last else {
            throw TextProblem(
                "\(TextProblem.quote(text)) ends before it begins; write \(format(last...first))")
        }
        return first...last
    }

    private static func format(_ bytes: ClosedRange<Int>) -> String {
        let first = ByteSizeText.format(bytes.lowerBound)
        return bytes.count == 1 ? first : "\(first)..\(ByteSizeText.format(bytes.upperBound))"
    }
}
