import Foundation

/// How figures are printed: one a line, median and range, with what is asked of them.
enum Report {
    static func print(
        _ what: String, _ values: [Double], asked: String? = nil, as text: (Double) -> String
    ) {
        let sorted = values.sorted()
        guard let least = sorted.first, let most = sorted.last else { return }
        let name = what.padding(toLength: 60, withPad: " ", startingAt: 0)
        let figure = text(sorted[sorted.count / 2])
        let room = String(repeating: " ", count: max(0, 12 - figure.count))
        let range = "(\(text(least)) to \(text(most)))"
        Swift.print(name + room + figure + "  " + range + (asked.map { "   asked: \($0)" } ?? ""))
        fflush(nil)
    }

    static func number(_ value: Double, digits: Int = 2) -> String {
        String(format: "%.\(digits)f", value)
    }

    static func rate(_ perSecond: Double) -> String {
        perSecond >= 1e6
            ? number(perSecond / 1e6) + " M/s" : number(perSecond / 1e3, digits: 0) + " k/s"
    }
}
