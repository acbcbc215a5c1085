import CacheModel

/// The text formats of a page.
package enum MetricFormat: Hashable, Sendable, CaseIterable {
    /// Prometheus' text, version 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.0.
    case openMetrics

    package var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// The format for an Accept field. It is OpenMetrics, if the field names it with a supported
    /// version, and with at least the weight of plain text. Otherwise it is the older format, which
    /// every reader accepts. No request is refused.
    ///
    /// - Parameter accept: the field of the request; `nil` if it has none.
    package static func accepted(by accept: String?) -> MetricFormat {
        var best: [MetricFormat: Int] = [:]
        for part in (accept ?? "").split(separator: ",") {
            guard let range = MediaRange(part), let format = format(of: range) else { continue }
            best[format] = max(best[format] ?? 0, range.weight)
        }
        guard let wanted = best[.openMetrics], wanted > 0 else { return .prometheus }
        return wanted >= best[.prometheus] ?? 0 ? .openMetrics : .prometheus
    }

    private static func format(of range: MediaRange) -> MetricFormat? {
        switch range.type {
        case "application/openmetrics-text":
            // 0.0.1 is an early version number of this format.
            ["1.0.0", "0.0.1", nil].contains(range.version) ? .openMetrics : nil
        case "text/plain", "text/*": .prometheus
        default: nil
        }
    }
}

/// One part of an Accept field.
private struct MediaRange {
    let type: String
    var version: String?
    /// In thousandths.
    var weight = 1_000

    init?(_ text: Substring) {
        var parts = text.split(separator: ";").map { $0.trimmed(Self.isBlank) }
        guard !parts.isEmpty else { return nil }
        type = parts.removeFirst().lowercased()
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            let value = pair[1].trimmed(Self.isBlank)
            switch pair[0].trimmed(Self.isBlank).lowercased() {
            case "version": version = String(value)
            case "q": weight = Self.thousandths(value)
            default: continue
            }
        }
    }

    private static func isBlank(_ character: Character) -> Bool {
        character == " " || character == "\t"
    }

    /// An unreadable weight is zero.
    private static func thousandths(_ text: Substring) -> Int {
        guard let number = Double(text), number >= 0, number <= 1 else { return 0 }
        return Int(number * 1_000)
    }
}
