/// Foreign text in a form that is safe for cells: control characters are written as escapes, and
/// each character has a known number of columns.
package struct GlyphRun: Hashable, Sendable {
    package struct Glyph: Hashable, Sendable {
        package var text: String
        /// 1 or 2.
        package var columns: Int
    }

    package private(set) var glyphs: [Glyph] = []

    package init(_ text: String) {
        var marks = 0
        for scalar in text.unicodeScalars {
            guard let columns = GlyphWidth.columns(of: scalar) else {
                append(escapeOf: scalar)
                marks = ConsoleLimits.marksMax
                continue
            }
            if columns > 0 {
                glyphs.append(Glyph(text: String(scalar), columns: columns))
                marks = 0
            } else if marks < ConsoleLimits.marksMax, !glyphs.isEmpty {
                // A combining mark at the beginning would join the character before it on the
                // screen.
                glyphs[glyphs.count - 1].text.unicodeScalars.append(scalar)
                marks += 1
            }
        }
    }

    package var columns: Int { glyphs.reduce(0) { $0 + $1.columns } }

    /// `\n`, `\t`, and `\xNN` for each byte of other characters.
    private mutating func append(escapeOf scalar: Unicode.Scalar) {
        let escape: String
        switch scalar {
        case "\n": escape = "\\n"
        case "\r": escape = "\\r"
        case "\t": escape = "\\t"
        default:
            escape = (Unicode.UTF8.encode(scalar).map(Array.init) ?? []).map { byte in
                "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
        }
        for character in escape { glyphs.append(Glyph(text: String(character), columns: 1)) }
    }
}

/// The number of columns of a character in a terminal: our own wcwidth, for the characters in keys
/// and tags. It knows the wide blocks, not every character in them. An error stays within its row,
/// because the painter moves the cursor by number after it.
package enum GlyphWidth {
    /// - Returns: 0 for a mark on the character before it, 2 for a wide character; `nil` for
    ///   characters that must not reach a terminal, or that terminals show differently.
    package static func columns(of scalar: Unicode.Scalar) -> Int? {
        let value = scalar.value
        if value < 0x7F { return value < 0x20 ? nil : 1 }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
            .privateUse:
            return nil
        case .nonspacingMark, .enclosingMark:
            return isSelector(value) ? nil : 0
        default: break
        }
        if joinsWithOthers(value) { return nil }
        return isWide(value) ? 2 : 1
    }

    /// Selectors that change the look of the character before them, and perhaps its width.
    private static func isSelector(_ value: UInt32) -> Bool {
        (0xFE00...0xFE0F).contains(value) || (0xE0100...0xE01EF).contains(value)
    }

    /// Letters of flags, tones of skin, and parts of Korean syllables: some terminals join two of
    /// them into one.
    private static func joinsWithOthers(_ value: UInt32) -> Bool {
        (0x1F1E6...0x1F1FF).contains(value) || (0x1F3FB...0x1F3FF).contains(value)
            || (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value)
    }

    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        var (low, high) = (0, wide.count)
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(value)
    }

    /// East Asian wide and full-width characters, and characters with a picture by default.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
        0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F,
        0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
        0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
        0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
        0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
        0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55,
        0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF,
        0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A,
        0x1F200...0x1F265, 0x1F300...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C,
        0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0,
        0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440, 0x1F442...0x1F4FC,
        0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A,
        0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5,
        0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6D7, 0x1F6DC...0x1F6DF,
        0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7F0, 0x1F90C...0x1F93A,
        0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
