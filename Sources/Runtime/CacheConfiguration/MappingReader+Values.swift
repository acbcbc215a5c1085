import CacheModel

extension MappingReader {
    /// The text under `name`; `nil` if it is not given, or, with a problem, if it is not text.
    func text(_ name: String, expected: String) -> String? {
        guard let entry = entry(name) else { return nil }
        return text(entry.value, path: Self.join(path, name), expected: expected)
    }

    /// The text of `node`; `nil`, with a problem, if it is not text.
    func text(_ node: YAMLNode, path: String, expected: String) -> String? {
        if !node.isNothing, case .scalar(let scalar) = node.content { return scalar.text }
        let remedy = node.isNothing ? "give one, or remove the line" : "give one"
        problems.add(
            node.place, path,
            "here must stand \(expected); found \(node.kindForPeople); \(remedy)")
        return nil
    }

    /// What `parse` makes of the text under `name`; `fallback` if it is not given, or, with a
    /// problem, if `parse` throws.
    func value<Value>(
        _ name: String, _ expected: String, _ fallback: Value,
        parse: (String) throws(TextProblem) -> Value
    ) -> Value {
        guard let text = text(name, expected: expected) else { return fallback }
        do throws(TextProblem) {
            return try parse(text)
        } catch {
            add(name, error.sentence)
            return fallback
        }
    }

    func duration(
        _ name: String, default fallback: Duration, in range: ClosedRange<Duration>
    ) -> Duration {
        value(name, "a length of time such as 5s", fallback) { text throws(TextProblem) in
            try DurationText.parse(text, in: range)
        }
    }

    func optionalDuration(
        _ name: String, default fallback: Duration?, in range: ClosedRange<Duration>
    ) -> Duration? {
        value(name, "a length of time such as 24h, or none", fallback) {
            text throws(TextProblem) in try DurationText.parseOptional(text, in: range)
        }
    }

    func byteSize(_ name: String, default fallback: Int, in range: ClosedRange<Int>) -> Int {
        value(name, "a size such as 64MiB", fallback) { text throws(TextProblem) in
            try ByteSizeText.parse(text, in: range)
        }
    }

    /// `nil` if there is none, or, with a problem, if it is no path.
    func directory(_ name: String, expected: String) -> String? {
        value(name, expected, nil) { text throws(TextProblem) in try DirectoryText.parse(text) }
    }

    func count(_ name: String, default fallback: Int, in range: ClosedRange<Int>) -> Int {
        value(name, "a whole number", fallback) { text throws(TextProblem) in
            try CountText.parse(text, in: range)
        }
    }

    /// `nil` for none, or, with a problem, if it is no number of entries for so many shards.
    func entriesMax(_ name: String, shards: Int) -> Int? {
        value(name, "a whole number such as 10000, or none", nil) { text throws(TextProblem) in
            try EntriesMaxText.parse(text, shards: shards)
        }
    }

    func percent(
        _ name: String, default fallback: Percent, in range: ClosedRange<Int>
    ) -> Percent {
        value(name, "a share such as 10%", fallback) { text throws(TextProblem) in
            try PercentText.parse(text, in: range)
        }
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, default fallback: Choice
    ) -> Choice {
        knownChoice(name, default: fallback) ?? fallback
    }

    /// - Returns: `nil`, with a problem, for a word that is none of them.
    func knownChoice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, default fallback: Choice
    ) -> Choice? {
        let words = Choice.allCases.map(\.rawValue)
        let listed = words.joined(separator: ", ")
        guard let text = text(name, expected: "one of \(listed)") else { return fallback }
        if let choice = Choice(rawValue: text) { return choice }
        let meant = NearestName.find(text, among: words).map { "; did you mean \($0)?" } ?? ""
        add(name, "\(TextProblem.quote(text)) is not one of \(listed)\(meant)")
        return nil
    }
}
