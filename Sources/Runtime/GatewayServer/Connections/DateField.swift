import ByteCoding
import Threading

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The text of `Date`, updated once a second.
final class DateField: Sendable {
    private let last = Guarded((second: -1, text: ""))

    var text: String {
        let second = Int(Date().timeIntervalSince1970)
        return last.withLock { last in
            if last.second != second { last = (second, HTTPDate(secondsSince1970: second).text) }
            return last.text
        }
    }
}
