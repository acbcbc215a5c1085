import CommandSurface
import Testing

@testable import martlet

@Suite struct EndpointKeysTests {
    private static let key = String(repeating: "0123456789abcdef", count: 4)

    @Test(arguments: [
        ("", ""), ("nothing here", "nothing here"),
        ("tcp://a:1?key=\(key)", "tcp://a:1?key=01234567…"),
        ("tcp://a:1?key=\(key.uppercased()) is gone", "tcp://a:1?key=01234567… is gone"),
        ("a?key=\(key), b?key=\(key)", "a?key=01234567…, b?key=01234567…"),
        ("a?key=\(key)0", "a?key=01234567…0"),
        ("a?key=\(key.dropLast()) ", "a?key=\(key.dropLast()) "), ("a?key=", "a?key="),
        ("a?key=x\(key)", "a?key=x\(key)"), ("?key=?key=\(key)", "?key=?key=01234567…"),
    ])
    func aWholeKeyIsShownByItsBeginning(sentence: String, shown: String) {
        #expect(EndpointKeys.shortened(sentence) == shown)
    }
}
