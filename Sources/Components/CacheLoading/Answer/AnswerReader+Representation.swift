import ByteCoding
import CacheModel

/// The representation of an answer's value.
///
/// A type or language that cannot be stored is left out; the value is stored without it. If several
/// lines name different types, none counts. Lines of encodings form one list, and so do lines of
/// languages.
extension AnswerReader {
    var representation: Representation {
        var representation = Representation()
        representation.contentType = fields.agreedText(of: FieldName.contentType).flatMap {
            RepresentationField(String(decoding: $0.bytes, as: UTF8.self))
        }
        representation.contentEncoding = list(FieldName.contentEncoding) { !$0.isIdentity }
        representation.contentLanguage = list(FieldName.contentLanguage) { _ in true }
        return representation
    }

    /// Whether the encoding, if there is one, can be stored.
    var hasReadableEncoding: Bool {
        members(of: FieldName.contentEncoding) { !$0.isIdentity }.isEmpty
            || representation.contentEncoding != nil
    }

    private func list(
        _ name: String, where isKept: (FieldText) -> Bool
    ) -> RepresentationField? {
        RepresentationField(members(of: name, where: isKept).joined(separator: ", "))
    }

    private func members(of name: String, where isKept: (FieldText) -> Bool) -> [String] {
        var members: [String] = []
        for line in fields.lines(of: name) {
            var rest = line
            while let member = rest.takeMember(endedBy: \.isComma) {
                guard isKept(member) else { continue }
                members.append(String(decoding: member.bytes, as: UTF8.self))
            }
        }
        return members
    }
}

extension FieldText {
    fileprivate var isIdentity: Bool { isWord("identity") }
}
