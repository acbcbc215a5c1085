import CacheMetrics

@testable import Borrowed

/// What is asked of a role's own HTTP: with which token, and in which format. Nobody is let in who
/// does not show the token, whole.
///
///     token's run, bytes of Authorization and of Accept
enum HealthFuzz: FuzzTarget {
    static let name = "health"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let secret = String(decoding: script.run(), as: UTF8.self)
        let shown = String(decoding: script.rest(), as: UTF8.self)
        let format = MetricFormat.accepted(by: shown)
        check(format == MetricFormat.accepted(by: shown), "a format is chosen once")
        do throws(HealthStartError) {
            let token = try MetricsToken(secret)
            let text = secret.trimmed
            check(token.isShown(by: "Bearer \(text)"), "who has the token is let in")
            check(!token.isShown(by: nil) && !token.isShown(by: text), "a token is a bearer's")
            let words = shown.split(separator: " ")
            let isRight = words.count == 2 && words[0].lowercased() == "bearer" && words[1] == text
            check(token.isShown(by: shown) == isRight, "\(shown) is let in, or not")
        } catch {
            check(!"\(error)".isEmpty, "a mistake can be said")
        }
    }
}

extension String {
    /// Without what is no part of a token.
    fileprivate var trimmed: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { (0x21...0x7E).contains($0.value) }))
    }
}
