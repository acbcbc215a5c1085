import ByteCoding
package import CacheModel

extension Validator {
    /// The field that makes a request conditional on this: `If-None-Match` for an ETag, which
    /// begins with `"` or `W/"`, and `If-Modified-Since` for the text of a Last-Modified.
    ///
    /// - Returns: `nil` if it is neither, which is possible for a validator that came with a store:
    ///   no origin could answer it, and it might not fit into a field.
    package var condition: OriginField? {
        guard let text = String(validating: bytes, as: UTF8.self), let name = conditionName else {
            return nil
        }
        return OriginField(name: name, value: text)
    }

    private var conditionName: String? {
        if EntityTag(bytes[...], of: .withObsoleteText) != nil { return FieldName.ifNoneMatch }
        return HTTPDate(FieldText(exactly: bytes[...])) == nil ? nil : FieldName.ifModifiedSince
    }
}
