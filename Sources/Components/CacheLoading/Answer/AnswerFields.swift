import ByteCoding
import CacheModel

/// The fields of one answer, accessed by name.
struct AnswerFields {
    private let fields: [OriginField]

    init(_ fields: [OriginField]) {
        self.fields = fields
    }

    /// All lines of that name, in order.
    ///
    /// - Complexity: O(fields), plus O(bytes) of the lines returned.
    func lines(of name: String) -> [FieldText] {
        fields.filter { FieldText.isSameWord($0.name, name) }.map { FieldText($0.value) }
    }

    /// The common text of all lines of that name; `nil` if there is none, or if they differ.
    func agreedText(of name: String) -> FieldText? {
        let lines = lines(of: name)
        guard let first = lines.first, lines.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// The first list member for which `isMeant` is true, over all lines of that name; empty
    /// members are skipped.
    func firstMember(of name: String, where isMeant: (FieldText) -> Bool) -> FieldText? {
        for line in lines(of: name) {
            var rest = line
            while let member = rest.takeMember(endedBy: { $0.isComma }) {
                if isMeant(member) { return member }
            }
        }
        return nil
    }
}

extension AnswerFields: Sequence {
    /// Names and values as received, in order.
    func makeIterator() -> IndexingIterator<[OriginField]> { fields.makeIterator() }
}
