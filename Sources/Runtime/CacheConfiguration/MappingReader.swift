import CacheModel
import CacheWorkload

/// One mapping of the file: takes settings out by name and collects what is wrong with them.
///
/// A setting that is wrong is reported once and then counts as its default, so that reading goes on
/// and finds the next problem.
struct MappingReader {
    struct Entry {
        let name: String
        let place: SourcePlace
        let value: YAMLNode
    }

    /// From the root; empty for the root.
    let path: String
    let place: SourcePlace
    let entries: [Entry]
    let problems: ProblemList

    /// - Returns: `nil`, and a problem, if `node` is not a mapping. Nothing at all counts as an
    ///   empty one: that is what is left when every setting of a section is commented out.
    init?(_ node: YAMLNode, path: String, _ problems: ProblemList) {
        self.path = path
        self.problems = problems
        place = node.place
        if node.isNothing {
            entries = []
            return
        }
        guard case .mapping(let pairs) = node.content else {
            problems.add(
                place, path,
                "here must stand settings, one \"name: value\" a line; found \(node.kindForPeople)")
            return nil
        }
        var entries: [Entry] = []
        var seen: Set<String> = []
        for pair in pairs {
            guard case .scalar(let name) = pair.key.content else {
                problems.add(
                    pair.key.place, path,
                    "a setting's name must be a word; found \(pair.key.kindForPeople)")
                continue
            }
            let entry = Entry(name: name.text, place: pair.key.place, value: pair.value)
            if seen.insert(entry.name).inserted {
                entries.append(entry)
            } else {
                problems.add(
                    entry.place, Self.join(path, entry.name), "it is given twice; remove one")
            }
        }
        self.entries = entries
    }

    static func join(_ path: String, _ name: String) -> String {
        let shown = TextProblem.shown(name)
        return path.isEmpty ? shown : "\(path).\(shown)"
    }

    func entry(_ name: String) -> Entry? { entries.first { $0.name == name } }

    /// Where the value of `name` stands; where the mapping does, if there is none.
    func place(of name: String) -> SourcePlace {
        entry(name)?.value.place ?? place
    }

    /// Adds a problem with the setting `name`.
    func add(_ name: String, _ sentence: String) {
        problems.add(place(of: name), Self.join(path, name), sentence)
    }

    /// Adds a problem for each setting with a name that is not one of `known`.
    func refuseUnknown(_ known: [String]) {
        for entry in entries where !known.contains(entry.name) {
            let remedy =
                NearestName.find(entry.name, among: known).map { "did you mean \($0)?" }
                ?? "known here: \(known.joined(separator: ", "))"
            problems.add(
                entry.place, Self.join(path, entry.name), "there is no such setting; \(remedy)")
        }
    }

    /// Adds a problem if the file is of another format than this program's.
    func refuseOtherVersion() {
        let known = ConfigurationLimits.formatVersion
        let expected = "the version of the file's format, \(known)"
        guard let text = text("version", expected: expected), text != "\(known)" else {
            return
        }
        add(
            "version",
            "the format \(TextProblem.quote(text)) is not known to this program; "
                + "write \(known), or use a later program")
    }

    /// The list of things under their name; `nil`, with a problem, if it is none, has nothing, or
    /// more than `max`.
    ///
    /// - Parameters:
    ///   - whole: what has them, for a sentence.
    ///   - key: the first setting of each.
    ///   - example: one of them, as it may be written.
    func list(
        of thing: String, in whole: String, key: String, example: String, max: Int
    ) -> [YAMLNode]? {
        let name = thing + "s"
        let value = entry(name)?.value
        if let value, !value.isNothing, value.sequence == nil {
            add(
                name,
                "here must stand a list, each \(thing) beginning with \"- \(key):\"; "
                    + "found \(value.kindForPeople)")
            return nil
        }
        guard let list = value?.sequence, !list.isEmpty else {
            add(
                name,
                "there is no \(thing); list at least one, for example \"- \(example)\"")
            return nil
        }
        guard list.count <= max else {
            add(name, "\(whole) has at most \(max) \(name); found \(list.count)")
            return nil
        }
        return list
    }

    /// The settings under `name`; `nil` if there are none, or they are no mapping.
    func mapping(_ name: String) -> MappingReader? {
        entry(name).flatMap { MappingReader($0.value, path: Self.join(path, name), problems) }
    }
}

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
