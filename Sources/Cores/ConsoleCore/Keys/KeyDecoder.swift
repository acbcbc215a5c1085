/// Decodes the bytes of a terminal into keys.
///
/// A sequence may arrive in pieces; an incomplete one is buffered. Only time distinguishes a single
/// ESC from the beginning of a sequence: the shell calls ``passTime()`` after
/// ``ConsoleLimits/escapePatience`` without input. Each byte is buffered, part of a key, or
/// dropped. The buffer is bounded by ``ConsoleLimits/keyBytesMax``.
package struct KeyDecoder: Sendable {
    private var held: [UInt8] = []
    /// Whether the next bytes are the rest of a sequence that was too long.
    private var isSkipping = false

    package init() {}

    /// Whether a buffered sequence waits for more bytes or for time.
    package var isWaiting: Bool { !held.isEmpty }

    package mutating func read(_ bytes: some Sequence<UInt8>) -> [ConsoleKey] {
        var keys: [ConsoleKey] = []
        for byte in bytes { read(byte, into: &keys) }
        return keys
    }

    /// No bytes came for a while: the buffered ones are complete.
    package mutating func passTime() -> [ConsoleKey] {
        defer {
            held = []
            isSkipping = false
        }
        return held.first == 0x1B ? [held.count == 1 ? .escape : .unknown] : []
    }

    private mutating func read(_ byte: UInt8, into keys: inout [ConsoleKey]) {
        if isSkipping {
            isSkipping = !(0x40...0x7E).contains(byte)
            return
        }
        switch held.first {
        case nil: begin(byte, into: &keys)
        case 0x1B: goOn(byte, into: &keys)
        default: joinText(byte, into: &keys)
        }
    }

    private mutating func begin(_ byte: UInt8, into keys: inout [ConsoleKey]) {
        switch byte {
        case 0x1B: held = [byte]
        case 0x0A, 0x0D: keys.append(.enter)
        case 0x08, 0x7F: keys.append(.backspace)
        case 0x09: keys.append(.tab)
        case 0x01...0x1A: keys.append(.control(Unicode.Scalar(byte + 0x60)))
        case 0x20...0x7E: keys.append(.character(Unicode.Scalar(byte)))
        case 0xC2...0xF4: held = [byte]
        default: break
        }
    }

    // MARK: Text

    private mutating func joinText(_ byte: UInt8, into keys: inout [ConsoleKey]) {
        guard (0x80...0xBF).contains(byte) else {
            // The buffered bytes were no character: this byte begins something new.
            held = []
            return begin(byte, into: &keys)
        }
        held.append(byte)
        let lead = held[0]
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard held.count == length else { return }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = held.makeIterator()
        if case .valid(let encoded) = parser.parseScalar(from: &iterator), encoded.count == length {
            let scalar = Unicode.UTF8.decode(encoded)
            if scalar.properties.generalCategory != .control { keys.append(.character(scalar)) }
        }
        held = []
    }

    // MARK: Sequences

    private mutating func goOn(_ byte: UInt8, into keys: inout [ConsoleKey]) {
        if byte == 0x1B {
            keys.append(held.count == 1 ? .escape : .unknown)
            held = [byte]
            return
        }
        if held.count == 1 {
            if byte == 0x5B || byte == 0x4F {
                held.append(byte)
            } else {
                // A key with Alt, which has no meaning here.
                held = []
                keys.append(.unknown)
            }
            return
        }
        held.append(byte)
        if held[1] == 0x4F || (0x40...0x7E).contains(byte) {
            keys.append(Self.key(held))
            held = []
        } else if !(0x20...0x3F).contains(byte) {
            held = []
            keys.append(.unknown)
        } else if held.count >= ConsoleLimits.keyBytesMax {
            held = []
            isSkipping = true
            keys.append(.unknown)
        }
    }

    private static func key(_ sequence: [UInt8]) -> ConsoleKey {
        let parameters = sequence.dropFirst(2).dropLast()
        switch sequence.last {
        case 0x41: return .up
        case 0x42: return .down
        case 0x43: return .right
        case 0x44: return .left
        case 0x46: return .end
        case 0x48: return .home
        case 0x4D where sequence[1] == 0x4F: return .enter
        case 0x7E:
            switch String(decoding: parameters.prefix { $0 != 0x3B }, as: UTF8.self) {
            case "1", "7": return .home
            case "4", "8": return .end
            case "3": return .delete
            case "5": return .pageUp
            case "6": return .pageDown
            default: return .unknown
            }
        default: return .unknown
        }
    }
}

/// A pressed key.
package enum ConsoleKey: Hashable, Sendable {
    /// A printable character.
    case character(Unicode.Scalar)
    /// With the control key; the letter in lower case.
    case control(Unicode.Scalar)
    case up, down, left, right
    case home, end, pageUp, pageDown
    case enter, escape, backspace, delete, tab
    /// A sequence without a meaning here.
    case unknown
}
