package import CacheModel

/// Secrets in fields: `Bearer ${API_TOKEN}` names a variable of the node's environment, and `Bearer
/// ${file:api-token}` a file in its directory of secrets.
///
/// The configuration is served to every node and client; a node's environment and files are not.
extension OriginField {
    /// The files named in its value.
    package var secretFiles: [String] {
        var names: [String] = []
        _ = filled { name in
            if name.hasPrefix(SecretName.prefix) {
                names.append(String(name.dropFirst(SecretName.prefix.count)))
            }
            return ""
        }
        return names
    }

    /// The same with every `${NAME}` in its value replaced.
    ///
    /// - Parameter value: of the variable of a name, or of the file of `file:NAME`; `nil` if there
    ///   is none.
    /// - Returns: `nil` if one is missing, or if its content is not valid in a field.
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
