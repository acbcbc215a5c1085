import CacheLoading
import CacheModel
import Testing

/// A field may name variables of the node's environment, so that the configuration holds no secret.
@Suite struct OriginFieldSecretsTests {
    private static let environment = ["A": "one", "B": "two", "EMPTY": "", "BAD": "x\r\nEvil: 1"]

    private func filled(_ value: String) -> String? {
        OriginField(name: "authorization", value: value).filled { Self.environment[$0] }?.value
    }

    @Test(arguments: [
        ("plain", "plain"), ("Bearer ${A}", "Bearer one"), ("${A}${B}", "onetwo"),
        ("${A}-${B}.", "one-two."), ("${EMPTY}", ""), ("${A", "${A"), ("$A", "$A"),
        ("a ${", "a ${"), ("}${A}{", "}one{"),
    ])
    func variablesAreReplaced(value: String, expected: String) {
        #expect(filled(value) == expected)
    }

    @Test(arguments: ["${MISSING}", "${A} ${}", "${A${B}}"])
    func aMissingVariableIsNoEmptyOne(value: String) {
        #expect(filled(value) == nil)
    }

    @Test func whatWouldEndTheFieldIsNotFilledIn() {
        #expect(filled("${BAD}") == nil)
    }
}
