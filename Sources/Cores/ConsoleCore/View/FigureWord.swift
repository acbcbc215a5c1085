import CacheModel

/// Numbers as short text.
package enum FigureWord {
    package static let none = "–"

    /// `0`, `99999`, `123k`, `1.2M`, `45G`.
    package static func count(_ value: UInt64) -> String {
        value < 100_000 ? "\(value)" : scaled(Double(value))
    }

    /// A rate per second: `0`, `4.2`, `870`, `12.3k`.
    package static func rate(_ value: Double) -> String {
        if value == 0 { return "0" }
        if value < 0.05 { return "<0.1" }
        return scaled(value)
    }

    private static func scaled(_ value: Double) -> String {
        let units = ["", "k", "M", "G", "T", "P", "E"]
        var (value, unit) = (value, 0)
        while value >= 999.5, unit + 1 < units.count {
            value /= 1_000
            unit += 1
        }
        let text = value < 99.95 ? decimal(value) : "\(Int(value.rounded()))"
        return text + units[unit]
    }

    /// `812B`, `12.3KiB`, `256MiB`.
    package static func size(_ bytes: UInt64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var (value, unit) = (Double(bytes), 0)
        while value >= 1_023.5, unit + 1 < units.count {
            value /= 1_024
            unit += 1
        }
        return (value < 99.95 ? decimal(value) : "\(Int(value.rounded()))") + units[unit]
    }

    /// `97.3%`.
    package static func share(_ share: Double) -> String { decimal(share * 100) + "%" }

    /// `340ms`, `2.9s`, `59s`, `4m10s`, `3h20m`, `5d4h`.
    package static func time(_ duration: Duration) -> String {
        let milliseconds = duration.wholeMilliseconds
        switch milliseconds / 1_000 {
        case 0: return "\(milliseconds)ms"
        case ..<10: return decimal(Double(milliseconds / 100) / 10) + "s"
        default: return age(duration)
        }
    }

    /// In whole seconds, so that it seldom changes: `0s`, `12s`, `4m10s`, `3h20m`, `5d4h`.
    package static func age(_ duration: Duration) -> String {
        let seconds = duration.wholeMilliseconds / 1_000
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3_600: return pair(seconds / 60, "m", seconds % 60, "s")
        case ..<86_400: return pair(seconds / 3_600, "h", seconds % 3_600 / 60, "m")
        default: return pair(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h")
        }
    }

    private static func pair(
        _ large: UInt64, _ name: String, _ small: UInt64, _ smallName: String
    ) -> String {
        "\(large)\(name)" + (small == 0 ? "" : "\(small)\(smallName)")
    }

    /// With one decimal, unless that is 0.
    private static func decimal(_ value: Double) -> String {
        // A node may report any number.
        let tenths = Int((min(value, 1e15) * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
