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

    func duration(
        _ name: String, default fallback: Duration, in range: ClosedRange<Duration>
    ) -> Duration {
        guard let text = text(name, expected: "a length of time such as 5s") else {
            return fallback
        }
        do throws(TextProblem) {
            return try DurationText.parse(text, in: range)
        } catch {
            add(name, error.sentence)
            return fallback
        }
    }

    func optionalDuration(
        _ name: String, default fallback: Duration?, in range: ClosedRange<Duration>
    ) -> Duration? {
        guard let text = text(name, expected: "a length of time such as 24h, or none") else {
            return fallback
        }
        do throws(TextProblem) {
            return try DurationText.parseOptional(text, in: range)
        } catch {
            add(name, error.sentence)
            return fallback
        }
    }

    func byteSize(_ name: String, default fallback: Int, in range: ClosedRange<Int>) -> Int {
        guard let text = text(name, expected: "a size such as 64MiB") else { return fallback }
        do throws(TextProblem) {
            return try ByteSizeText.parse(text, in: range)
        } catch {
            add(name, error.sentence)
            return fallback
        }
    }

    /// `nil` if there is none, or, with a problem, if it is no path.
    func directory(_ name: String, expected: String) -> String? {
        guard let text = text(name, expected: expected) else { return nil }
        do throws(TextProblem) {
            return try DirectoryText.parse(text)
        } catch {
            add(name, error.sentence)
            return nil
        }
    }

    func count(_ name: String, default fallback: Int, in range: ClosedRange<Int>) -> Int {
        guard let text = text(name, expected: "a whole number") else { return fallback }
        do throws(TextProblem) {
            return try CountText.parse(text, in: range)
        } catch {
            add(name, error.sentence)
            return fallback
        }
    }

    /// `nil` for none, or, with a problem, if it is no number of entries for so many shards.
    func entriesMax(_ name: String, shards: Int) -> Int? {
        guard let text = text(name, expected: "a whole number such as 10000, or none") else {
            return nil
        }
        do throws(TextProblem) {
            return try EntriesMaxText.parse(text, shards: shards)
        } catch {
            add(name, error.sentence)
            return nil
        }
    }

    /// `nil` if there is none, or, with a problem, if it is no sample.
    func sample(_ name: String) -> Int? {
        guard let text = text(name, expected: "a sample such as 1/1000, or off") else { return nil }
        do throws(TextProblem) {
            return try SampleText.parse(text)
        } catch {
            add(name, error.sentence)
            return nil
        }
    }

    func weight(_ name: String, default fallback: Double) -> Double {
        guard let text = text(name, expected: "a weight such as 1") else { return fallback }
        do throws(TextProblem) {
            return try WeightText.parse(text)
        } catch {
            add(name, error.sentence)
            return fallback
        }
    }

    func percent(
        _ name: String, default fallback: Percent, in range: ClosedRange<Int>
    ) -> Percent {
        guard let text = text(name, expected: "a share such as 10%") else { return fallback }
        do throws(TextProblem) {
            return try PercentText.parse(text, in: range)
        } catch {
            add(name, error.sentence)
            return fallback
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
