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

    @Test func aFileIsNamedByItsPrefix() {
        let field = OriginField(name: "authorization", value: "Bearer ${file:a/token} ${A}")
        #expect(field.secretFiles == ["a/token"])
        #expect(
            field.filled { $0 == "file:a/token" ? "t" : Self.environment[$0] }?.value
                == "Bearer t one")
        #expect(OriginField(name: "x", value: "file:a ${A}").secretFiles.isEmpty)
    }

    @Test(arguments: ["", "/etc/passwd", "../x", "a/../x", "./x", "a//x", "x/", ".", ".."])
    func aFileOutsideOfTheDirectoryIsRefused(file: String) {
        let field = OriginField(name: "authorization", value: "${file:\(file)}")
        #expect(throws: OriginFieldError.fileOutside(name: "authorization")) {
            try OriginField.check([field])
        }
    }
}
