import CacheModel

@testable import CacheLoading

/// Where an origin has the value of a key. No key chooses the host, ends its segment, begins a
/// query or leads upwards.
///
///     manner 1 (0: a URL, 1: a command, 2: fields that are sent), key run, text
enum TemplateFuzz: FuzzTarget {
    static let name = "template"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let manner = script.below(3)
        let bytes = script.run()
        let text = String(decoding: script.rest(), as: UTF8.self)
        guard let key = CacheKey(bytes: bytes) else { return }
        switch manner {
        case 0: readURL(text, key)
        case 1: readCommand(text, key)
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

    private static func readCommand(_ text: String, _ key: CacheKey) {
        let words = text.split(separator: "\n").map(String.init)
        do throws(CommandTemplateError) {
            let template = try CommandTemplate(words)
            check(template.program == words.first, "a key does not choose the program")
            guard let filled = template.arguments(for: key, in: .default) else { return }
            check(filled.count == words.count - 1, "a key adds no argument")
            check(!filled.contains { $0.contains(0) }, "no argument ends early")
        } catch {
            check(!error.description.isEmpty, "a problem can be said")
        }
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
