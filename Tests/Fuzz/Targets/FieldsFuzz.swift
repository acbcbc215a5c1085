@testable import ByteCoding
import CacheModel

@testable import CacheHTTP

/// What stands in fields, in paths and behind flags: what is taken is written again, and taken as
/// the same.
///
///     text 1, bytes
enum FieldsFuzz: FuzzTarget {
    static let name = "fields"

    private static let readings: [@Sendable ([UInt8]) -> Void] = [
        etags, directives, tags, strings, base64, base64URL, percent, origin, token,
    ]

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        readings[script.below(readings.count)](script.restCopied())
    }

    private static func etags(_ bytes: [UInt8]) {
        guard let list = EntityTag.list(String(decoding: bytes, as: UTF8.self)) else { return }
        check(!list.isEmpty, "a list has something")
        let text = list.map(\.text).joined(separator: ", ")
        check(EntityTag.list(text) == list, "\(text) is taken otherwise")
        for tag in list { check(EntityTag(tag.text) == tag, "\(tag.text) is one") }
    }

    private static func directives(_ bytes: [UInt8]) {
        let found = CacheDirectives(request: String(decoding: bytes, as: UTF8.self))
        for duration in [found.maxAge, found.sharedMaxAge] {
            let isWithin = duration.map { (.zero ... .seconds(1 << 40)).contains($0) }
            check(isWithin ?? true, "seconds have their bounds")
        }
        check(!found.isBroken, "no line of a request is broken")
    }

    private static func tags(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for name in [TagText.surrogateField, TagText.groupsField] {
            do throws(Problem) {
                var fields = FieldList()
                fields.append(name, text)
                let tags = try TagText.tags(in: fields)
                var other = FieldList()
                if name == TagText.groupsField {
                    other.append(name, TagText.groups(tags))
                } else {
                    other.append(name, TagText.surrogateKey(tags))
                }
                check(try TagText.tags(in: other) == tags, "tags are taken otherwise")
            } catch {
                check(error.kind == .malformedField, "it is the field that is wrong")
            }
        }
    }

    private static func strings(_ bytes: [UInt8]) {
        for parameters in [StringListReader.Parameters.checked, .skipped] {
            let lines = [FieldText(exactly: bytes[...])]
            guard let strings = StringListReader.strings(in: lines, parameters) else { continue }
            let text = strings.map {
                StringListReader.text(of: String(decoding: $0.bytes, as: UTF8.self))
            }.joined(separator: ",")
            let again = StringListReader.strings(
                in: [FieldText(exactly: Array(text.utf8)[...])], parameters)
            check(again == strings, "strings")
        }
    }

    private static func base64(_ bytes: [UInt8]) {
        check(Base64Text.bytes(of: Base64Text.text(of: bytes)) == bytes, "bytes are themselves")
        let text = String(decoding: bytes, as: UTF8.self)
        guard let found = Base64Text.bytes(of: text) else { return }
        check(Base64Text.text(of: found) == text, "there is one text for bytes")
    }

    private static func base64URL(_ bytes: [UInt8]) {
        guard let found = Base64Text.bytes(ofURLText: bytes[...]) else { return }
        let text = Base64Text.text(of: found).replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
        check(text.utf8.elementsEqual(bytes), "there is one text for bytes")
    }

    private static func percent(_ bytes: [UInt8]) {
        for text in [
            PercentEncoding.path(bytes), PercentEncoding.word(bytes),
            PercentEncoding.sentence(bytes),
        ] {
            check(
                PercentEncoding.bytes(of: Array(text.utf8)[...]) == bytes,
                "\(text) is something else")
        }
        _ = PercentEncoding.bytes(of: bytes[...])
    }

    private static func origin(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(AllowedOrigins.Mistake) {
            let origins = try AllowedOrigins([text])
            check(origins.allows(text) || text == "*", "what is named is allowed")
            check(text == "*" || !origins.allows("null"), "null is not named")
            check(text == "*" || !origins.allows(text + "."), "another is not")
            check(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an origin is a field")
        } catch {
            check(!error.description.isEmpty, "a mistake can be said")
        }
    }

    private static func token(_ bytes: [UInt8]) {
        var fields = FieldList()
        fields.append("Authorization", String(decoding: bytes, as: UTF8.self))
        do throws(Problem) {
            guard let token = try BearerToken.read(fields) else { return }
            check(token.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a token is visible")
            check(
                try BearerToken.read(FieldList(["Authorization": "bearer \(token)"])) == token, "")
        } catch {
            check(error.kind == .unauthenticated, "who asks is not known")
        }
    }
}
