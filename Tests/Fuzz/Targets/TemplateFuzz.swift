import CacheModel

@testable import CacheLoading

/// Where an origin has the value of a key, and how it is asked. No key chooses the host, ends its
/// segment, begins a query or leads upwards, or ends its string or field in a body.
///
///     manner 1 (0: a URL, 1 and 2: fields that are sent, 3: a body of JSON, 4: a form),
///     key run, text
enum TemplateFuzz: FuzzTarget {
    static let name = "template"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let manner = script.below(5)
        let bytes = script.run()
        let text = String(decoding: script.rest(), as: UTF8.self)
        guard let key = CacheKey(bytes: bytes) else { return }
        switch manner {
        case 0: readURL(text, key)
        case 3: readBody(text, key, contentType: nil)
        case 4: readBody(text, key, contentType: "application/x-www-form-urlencoded")
        default: readFields(text)
        }
    }

    private static func readURL(_ text: String, _ key: CacheKey) {
        do throws(URLTemplateError) {
            let template = try URLTemplate(parsing: text)
            check(template.root.hasPrefix("http://") || template.root.hasPrefix("https://"), "root")
            guard let target = template.target(of: key, in: .default) else { return }
            let plain = CacheKey("k").flatMap { template.target(of: $0, in: .default) }
            guard let plain else { fatalError("the plainest key can be put anywhere") }
            judge(target, like: plain, keepsSlashes: text.contains("{+key}"))
        } catch {
            check(!error.description.isEmpty, "a problem can be said")
        }
    }

    private static func judge(_ target: String, like plain: String, keepsSlashes: Bool) {
        check(target.hasPrefix("/"), "a target is a path")
        let isWritable = target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        check(isWritable && !target.contains("#"), "a target can be sent as it is: \(target)")
        for mark in "?&=;@:" {
            check(
                target.count { $0 == mark } == plain.count { $0 == mark },
                "the key adds \(mark): \(target)")
        }
        guard !keepsSlashes else { return }
        check(target.count { $0 == "/" } == plain.count { $0 == "/" }, "the key adds a segment")
    }

    private static func readBody(_ text: String, _ key: CacheKey, contentType: String?) {
        do throws(BodyTemplateError) {
            let template = try BodyTemplate(parsing: text, contentType: contentType)
            guard let body = template.body(of: key, in: .default) else {
                check(contentType == nil, "any key can be put into a form")
                return
            }
            let plain = CacheKey("k").flatMap { template.body(of: $0, in: .default) }
            guard let plain else { fatalError("the plainest key can be put anywhere") }
            if contentType == nil {
                check(outline(ofJSON: body) == outline(ofJSON: plain), "the key ends its string")
            } else {
                let isMark: (UInt8) -> Bool = { "&=+".utf8.contains($0) }
                check(body.count(where: isMark) == plain.count(where: isMark), "a field is added")
            }
        } catch {
            check(!error.description.isEmpty, "a problem can be said")
        }
    }

    /// What stands outside of its strings.
    private static func outline(ofJSON body: [UInt8]) -> [UInt8] {
        var outline: [UInt8] = []
        var isInside = false
        var isEscaped = false
        for byte in body {
            if !isInside { outline.append(byte) }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isInside.toggle()
            } else if isInside, byte == UInt8(ascii: "\\") {
                isEscaped = true
            }
        }
        return outline
    }

    private static func readFields(_ text: String) {
        let fields = text.split(separator: "\n").map { line in
            let name = line.prefix { $0 != ":" }
            return OriginField(
                name: String(name), value: String(line.dropFirst(name.count + 1)))
        }
        do throws(OriginFieldError) {
            try OriginField.check(fields)
        } catch {
            check(!error.description.isEmpty, "a problem can be said")
            return
        }
        for field in fields {
            let filled = field.filled { $0 == "HOME" ? "a\tb" : $0 == "BAD" ? "a\r\nb" : nil }
            guard let filled else { continue }
            let isOneLine = filled.value.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
            check(isOneLine, "a field that is sent is one line")
        }
    }
}
