package import CacheModel

/// Secrets in fields: `Bearer ${API_TOKEN}` names a variable of the node's environment.
///
/// The configuration is served to every node and client; what a node's environment holds is not.
extension OriginField {
    /// The same with every `${NAME}` in its value replaced.
    ///
    /// - Parameter value: of the variable of a name; `nil` where there is none.
    /// - Returns: `nil` if a variable is missing, or if what it holds cannot stand in a field.
    package func filled(_ value: (String) -> String?) -> OriginField? {
        var rest = self.value[...]
        var text = ""
        while let begin = rest.firstRange(of: "${"),
            let end = rest[begin.upperBound...].firstIndex(of: "}")
        {
            guard let found = value(String(rest[begin.upperBound..<end])) else { return nil }
            text += rest[..<begin.lowerBound] + found
            rest = rest[rest.index(after: end)...]
        }
        text += rest
        guard text.utf8.allSatisfy(Self.isWritable) else { return nil }
        return OriginField(name: name, value: text)
    }
}
