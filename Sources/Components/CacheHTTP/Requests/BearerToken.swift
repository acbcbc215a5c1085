import ByteCoding

/// The token in `Authorization: Bearer …` (RFC 6750).
package enum BearerToken {
    /// - Returns: `nil` if there is none.
    /// - Throws: ``ProblemKind/unauthenticated`` for another scheme, or something that is no token.
    package static func read(_ fields: FieldList) throws(Problem) -> String? {
        guard let text = fields["Authorization"] else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 2, FieldText.isSameWord(String(words[0]), "Bearer"),
            words[1].utf8.allSatisfy(isAllowed)
        else {
            throw refusal("Authorization is Bearer and a token: letters, digits and - . _ ~ + / =")
        }
        return String(words[1])
    }

    /// The answer to a client without a token, or with one that is not in force.
    package static func refusal(_ detail: String) -> Problem {
        var problem = Problem(.unauthenticated, detail)
        problem.fields.append("WWW-Authenticate", "Bearer realm=\"martlet\"")
        return problem
    }

    /// The same for a token that does not hold (RFC 6750, 3.1).
    package static func invalid(_ detail: String) -> Problem {
        var problem = Problem(.unauthenticated, detail)
        problem.fields.append(
            "WWW-Authenticate", "Bearer realm=\"martlet\", error=\"invalid_token\"")
        return problem
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "="):
            true
        default: false
        }
    }
}
