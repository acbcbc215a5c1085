import ByteCoding

/// The fields of a request or an answer, in their order. Names compare without case, as HTTP has
/// it.
package struct FieldList: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package private(set) var fields: [Field] = []

    package init() {}

    package init(_ pairs: KeyValuePairs<String, String>) {
        for (name, value) in pairs { append(name, value) }
    }

    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The values of all fields of that name, with commas between them; `nil` if there is none.
    package subscript(name: String) -> String? {
        var joined: String?
        for field in fields where FieldText.isSameWord(field.name, name) {
            joined = joined.map { $0 + ", " + field.value } ?? field.value
        }
        return joined
    }

    /// A boolean of a structured field, or its digit alone; `nil` if there is none.
    ///
    /// - Parameter place: after the name, in a refusal.
    func flag(_ name: String, _ place: String = "") throws(Problem) -> Bool? {
        guard let text = self[name] else { return nil }
        guard ["?1", "?0", "1", "0"].contains(text) else {
            throw Problem(.malformedField, "\(name)\(place) is ?1 or ?0")
        }
        return text.hasSuffix("1")
    }

    /// Cache-Control; `nil` if there is none.
    ///
    /// - Throws: a sentence for a directive with an argument that is not what it must be.
    func cacheDirectives() throws(Problem) -> CacheDirectives? {
        guard let directives = self["Cache-Control"].map(CacheDirectives.init(request:)) else {
            return nil
        }
        if let name = directives.unreadable {
            throw Problem(
                .malformedField, "Cache-Control: \(name) is followed by = and whole seconds")
        }
        return directives
    }
}

extension Substring {
    /// Without spaces and tabs around it.
    var trimmed: Substring {
        var rest = drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
