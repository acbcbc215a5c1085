import Foundation

/// How figures are printed: one a line, aligned, with what is asked of them.
enum Report {
    static func print(_ what: String, _ value: String, asked: String? = nil) {
        let name = what.padding(toLength: 64, withPad: " ", startingAt: 0)
        let figure = String(repeating: " ", count: max(0, 18 - value.count)) + value
        Swift.print(name + figure + (asked.map { "   asked: \($0)" } ?? ""))
    }

    static func number(_ value: Double, digits: Int = 1) -> String {
        String(format: "%.\(digits)f", value)
    }

    static func rate(_ perSecond: Double) -> String { number(perSecond / 1e6, digits: 2) + " M/s" }
    static func nanoseconds(_ value: Double) -> String { number(value) + " ns" }
    static func microseconds(_ nanoseconds: Double) -> String { number(nanoseconds / 1e3) + " µs" }
    static func milliseconds(_ nanoseconds: Double) -> String {
        number(nanoseconds / 1e6, digits: 3) + " ms"
    }
    static func percent(_ share: Double) -> String { number(share * 100, digits: 2) + " %" }
    static func mebibytes(_ bytes: Int) -> String { number(Double(bytes) / 1_048_576) + " MiB" }
}
