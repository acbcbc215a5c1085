import ByteCoding
import CacheModel

/// What HTTP says of a value's bytes, in both directions.
enum RepresentationText {
    static let typeField = "Content-Type"
    static let encodingField = "Content-Encoding"
    static let languageField = "Content-Language"

    /// What stands in the head of a PUT.
    static func representation(in fields: FieldList) throws(Problem) -> Representation {
        Representation(
            contentType: try field(typeField, oneType(in: fields)),
            contentEncoding: try encoding(encodingField, fields[encodingField]),
            contentLanguage: try field(languageField, fields[languageField]))
    }

    /// What stands beside the value in a batch.
    static func representation(
        in object: inout BodyMembers
    ) throws(Problem) -> Representation {
        let type = try object.text("content_type")
        let encoding = try object.text("content_encoding")
        let language = try object.text("content_language")
        return Representation(
            contentType: try field("content_type", type, .malformedBody),
            contentEncoding: try self.encoding(
                "content_encoding", encoding, .malformedBody),
            contentLanguage: try field("content_language", language, .malformedBody))
    }

    /// A value has one type. Lines that say the same are taken as one.
    private static func oneType(in fields: FieldList) throws(Problem) -> String? {
        let said = fields.fields.filter { FieldText.isSameWord($0.name, typeField) }.map(\.value)
        guard let first = said.first else { return nil }
        guard said.allSatisfy({ $0 == first }) else {
            throw Problem(.malformedField, "\(typeField) is there more than once: send one")
        }
        return first
    }

    /// `identity` is the word for no coding. It is left out of a list of codings.
    private static func encoding(
        _ name: String, _ text: String?, _ kind: ProblemKind = .malformedField
    ) throws(Problem) -> RepresentationField? {
        guard let text else { return nil }
        let members = text.split(separator: ",").map(\.trimmed)
        let codings = members.filter { !FieldText.isSameWord(String($0), "identity") }
        guard codings.count < members.count else { return try field(name, text, kind) }
        return try field(name, codings.joined(separator: ", "), kind)
    }

    /// - Parameter text: `nil` or empty for none.
    private static func field(
        _ name: String, _ text: String?, _ kind: ProblemKind = .malformedField
    ) throws(Problem) -> RepresentationField? {
        guard let text, !text.isEmpty else { return nil }
        guard let field = RepresentationField(text) else {
            throw Problem(kind, "\(name) of a value is \(RepresentationField.form)")
        }
        return field
    }
}

extension FieldList {
    /// Adds what is said of a value's bytes, and how little a browser is to make of it.
    mutating func append(representation: Representation) {
        append(
            RepresentationText.typeField,
            representation.contentType?.text ?? ReadOrder.typeStandard)
        if let encoding = representation.contentEncoding {
            append(RepresentationText.encodingField, encoding.text)
        }
        if let language = representation.contentLanguage {
            append(RepresentationText.languageField, language.text)
        }
        append("X-Content-Type-Options", "nosniff")
        if representation.contentType != nil {
            append("Content-Security-Policy", ReadOrder.contentPolicy)
        }
    }
}
