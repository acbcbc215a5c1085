/// An error in a body template, described in one line with its remedy.
package enum BodyTemplateError: Error, Equatable {
    case empty
    case tooLong(bytes: Int)
    /// Keys cannot be inserted safely into a body of this type.
    case contentTypeUnknown(String)
    case placeholderOutsideString
    case stringUnfinished
}

extension BodyTemplateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty:
            "the body is empty: write what the origin is asked, with {key} where the key belongs"
        case .tooLong(let bytes):
            "the body has \(bytes) bytes: at most \(OriginRequestLimits.bodyTemplateBytesMax)"
        case .contentTypeUnknown:
            "the header content-type names a type into which keys cannot be written: use "
                + "application/json (or another that ends with +json) or "
                + "application/x-www-form-urlencoded"
        case .placeholderOutsideString:
            "a placeholder is outside of a JSON string, behind a backslash, or in a string "
                + "within the string, where a key could add something of its own: put it into "
                + "quotation marks, as in \"{key}\", in GraphQL into variables"
        case .stringUnfinished:
            "a string in the JSON body has no end: close it with a quotation mark"
        }
    }
}
