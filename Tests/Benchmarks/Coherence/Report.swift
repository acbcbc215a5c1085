import Foundation

/// How figures are printed: one a line, aligned, with what is asked of them.
enum Report {
    static func print(_ what: String, _ value: String, asked: String? = nil) {
        let name = what.padding(toLength: 64, withPad: " ", startingAt: 0)
        let figure = String(repeating: " ", count: max(0, 14 - value.count)) + value
        Swift.print(name + figure + (asked.map { "   asked: \($0)" } ?? ""))
        fflush(nil)
    }

    static func number(_ value: Double, digits: Int = 2) -> String {
        String(format: "%.\(digits)f", value)
    }

    static func milliseconds(_ nanoseconds: Double) -> String {
        number(nanoseconds / 1e6, digits: 3) + " ms"
    }

    static func rate(_ perSecond: Double) -> String {
        perSecond >= 1e6
            ? number(perSecond / 1e6) + " M/s" : number(perSecond / 1e3, digits: 1) + " k/s"
    }

    static func print(_ what: String, percentilesOf times: Sample, asked: String? = nil) {
        print(what + ", p50", milliseconds(times.median), asked: asked)
        print(what + ", p99", milliseconds(times.quantile(0.99)))
    }
}
