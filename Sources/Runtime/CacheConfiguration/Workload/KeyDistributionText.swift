import CacheModel
package import CacheWorkload

/// How people write a distribution: `uniform`, `sequential`, `zipf:0.99`, `hotset:0.9:0.01`,
/// `latest:0.99`. The exponent may be left out.
package enum KeyDistributionText {
    private static let names = ["uniform", "sequential", "zipf", "hotset", "latest"]

    /// - Throws: a sentence if `text` is no distribution.
    package static func parse(_ text: String) throws(TextProblem) -> KeyDistribution {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let name = parts.first ?? ""
        let numbers = Array(parts.dropFirst())
        switch (name, numbers.count) {
        case ("uniform", 0): return .uniform
        case ("sequential", 0): return .sequential
        case ("zipf", 0...1): return .zipf(exponent: try exponent(numbers))
        case ("latest", 0...1): return .latest(exponent: try exponent(numbers))
        case ("hotset", 2):
            return .hotSet(
                requestShare: try share(numbers[0], of: "requests"),
                keyShare: try share(numbers[1], of: "keys"))
        case ("hotset", _):
            throw TextProblem(
                "\(TextProblem.quote(text)) does not say how hot which set is; give the share of "
                    + "requests and the share of keys they go to, such as hotset:0.9:0.01")
        case ("uniform", _), ("sequential", _):
            throw TextProblem("\(name) takes no number; write \(name)")
        case ("zipf", _), ("latest", _):
            throw TextProblem("\(name) takes one number; write \(name):0.99")
        default: throw unknown(text, name)
        }
    }

    package static func format(_ distribution: KeyDistribution) -> String {
        switch distribution {
        case .uniform: "uniform"
        case .sequential: "sequential"
        case .zipf(let exponent): "zipf:\(DecimalText.format(exponent))"
        case .hotSet(let requestShare, let keyShare):
            "hotset:\(DecimalText.format(requestShare)):\(DecimalText.format(keyShare))"
        case .latest(let exponent): "latest:\(DecimalText.format(exponent))"
        }
    }

    private static func exponent(_ numbers: [String]) throws(TextProblem) -> Double {
        guard let text = numbers.first else { return KeyDistribution.standardExponent }
        return try DecimalText.parse(text, "an exponent", in: WorkloadLimits.exponent)
    }

    private static func share(_ text: String, of what: String) throws(TextProblem) -> Double {
        try DecimalText.parse(text, "a share of the \(what)", in: WorkloadLimits.hotShare)
    }

    private static func unknown(_ text: String, _ name: String) -> TextProblem {
        let remedy =
            NearestName.find(name, among: names).map { "did you mean \($0)?" }
            ?? "give uniform, sequential, zipf:0.99, hotset:0.9:0.01 or latest:0.99"
        return TextProblem("\(TextProblem.quote(text)) is not a distribution; \(remedy)")
    }
}
