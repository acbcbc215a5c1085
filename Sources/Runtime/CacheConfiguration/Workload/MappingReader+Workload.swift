import CacheWorkload

extension MappingReader {
    /// What `parse` makes of the text under `setting`; with a problem the fallback, if it throws.
    func value<Value>(
        _ setting: WorkloadSetting, _ expected: String, _ fallback: Value,
        parse: (String) throws(TextProblem) -> Value
    ) -> Value {
        value(setting.rawValue, expected, fallback, parse: parse)
    }

    func count(
        _ setting: WorkloadSetting, default fallback: Int, in range: ClosedRange<Int>
    ) -> Int {
        count(setting.rawValue, default: fallback, in: range)
    }

    /// A whole number, or `none`.
    func optionalCount(
        _ setting: WorkloadSetting, default fallback: Int?, in range: ClosedRange<Int>
    ) -> Int? {
        value(setting, "a whole number, or none", fallback) { (text) throws(TextProblem) in
            try OptionalText.parse(text) { text throws(TextProblem) in
                try CountText.parse(text, in: range)
            }
        }
    }

    func flag(_ setting: WorkloadSetting, default fallback: Bool) -> Bool {
        value(setting, "true or false", fallback) { (text) throws(TextProblem) in
            switch text {
            case "true": return true
            case "false": return false
            default:
                throw TextProblem("\(TextProblem.quote(text)) is neither true nor false; give one")
            }
        }
    }

    func seed(default fallback: UInt64) -> UInt64 {
        value(.seed, "a whole number", fallback) { (text) throws(TextProblem) in
            guard let parts = NumberWithUnit(text), parts.unit.isEmpty else {
                throw TextProblem(
                    "\(TextProblem.quote(text)) is not a whole number; give 0 to \(UInt64.max)")
            }
            return parts.number
        }
    }
}
