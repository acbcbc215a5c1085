import ArgumentParser

/// Arguments as the system gave them, in texts that the parser can take apart.
///
/// A key may be any bytes, and so may an argument; a text may not. A byte that is not part of UTF-8
/// stands in the text as a scalar of its own, U+10FF80 to U+10FFFF for 80 to FF. Where such a
/// scalar was given, each of its four bytes stands so. So ``text(_:)`` and ``bytes(_:)`` undo each
/// other, and what is UTF-8 is nearly always itself.
///
///     argument: bytes ──text(_:)──▶ parser ──▶ key, tag, prefix, value ──bytes(_:)──▶ bytes
///                                        └──▶ any other text: refused if it is not UTF-8
package enum ArgumentBytes {
    private static let marks: ClosedRange<Unicode.Scalar> = "\u{10FF80}"..."\u{10FFFF}"

    /// Of this process, without the program's name.
    package static var ofProcess: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { text(bytes(at: $0)) }
        }
    }

    package static func text(_ bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var (iterator, index) = (bytes.makeIterator(), 0)
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if marks.contains(scalar) {
                    text.append(contentsOf: encoded.map(mark))
                } else {
                    text.append(scalar)
                }
                index += encoded.count
            case .error(let length):
                text.append(contentsOf: bytes[index..<index + length].map(mark))
                index += length
            case .emptyInput: return String(text)
            }
        }
    }

    /// What was given: of a text that was typed its UTF-8.
    package static func bytes(_ text: String) -> [UInt8] {
        guard !isText(text) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            byte(of: scalar).map { [$0] } ?? Array(String(scalar).utf8)
        }
    }

    /// Whether it stands for itself.
    package static func isText(_ text: String) -> Bool {
        !text.unicodeScalars.contains { marks.contains($0) }
    }

    /// The byte that a scalar stands for; `nil` if it stands for itself.
    static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        marks.contains(scalar) ? UInt8(truncatingIfNeeded: scalar.value) : nil
    }

    private static func mark(_ byte: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(0x10_FF00 | UInt32(byte)) ?? "\u{FFFD}"
    }

    // MARK: What has to be text

    /// A command's options are texts unless they say that they take bytes: names of files and
    /// nodes, endpoints, numbers.
    ///
    /// - Throws: ``CommandFailure`` if a text of `command` is not UTF-8.
    static func check(_ command: any ParsableCommand, _ arguments: [String]) throws {
        guard !arguments.allSatisfy(isText), let text = first(in: command, depth: 0) else { return }
        throw CommandFailure(
            .wrongUsage,
            "\(HarmlessText.line(text)) is not UTF-8; only keys, tags, prefixes, ETags and values "
                + "may be any bytes")
    }

    private static let depthMax = 16

    /// Looks through what was parsed, because every new option has to be looked at as well.
    private static func first(in value: Any, depth: Int) -> String? {
        if let text = value as? String { return isText(text) ? nil : text }
        guard depth < depthMax, !(value is [UInt8]) else { return nil }
        for child in Mirror(reflecting: value).children {
            if let text = first(in: child.value, depth: depth + 1) { return text }
        }
        return nil
    }

    /// What lies at an address, up to its closing zero.
    package static func bytes(at text: UnsafeMutablePointer<CChar>) -> [UInt8] {
        var bytes: [UInt8] = []
        var place = text
        while place.pointee != 0 {
            bytes.append(UInt8(bitPattern: place.pointee))
            place += 1
        }
        return bytes
    }
}
