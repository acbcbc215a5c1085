/// The look of a cell. A tone names a meaning; the user's terminal chooses the colours.
package struct CellStyle: Hashable, Sendable {
    package enum Tone: UInt8, Hashable, Sendable, CaseIterable {
        case plain
        case good
        case warning
        case bad
        case accent
    }

    package var tone: Tone
    package var isStrong: Bool
    package var isFaint: Bool
    package var isReversed: Bool

    package init(
        _ tone: Tone = .plain, isStrong: Bool = false, isFaint: Bool = false,
        isReversed: Bool = false
    ) {
        self.tone = tone
        self.isStrong = isStrong
        self.isFaint = isFaint
        self.isReversed = isReversed
    }

    package static let plain = CellStyle()
    package static let strong = CellStyle(isStrong: true)
    package static let faint = CellStyle(isFaint: true)
    package static let good = CellStyle(.good)
    package static let warning = CellStyle(.warning)
    package static let bad = CellStyle(.bad, isStrong: true)
    package static let accent = CellStyle(.accent)

    /// The SGR parameters of the style, for a terminal in its default style.
    ///
    /// - Parameter isColoured: `false` omits the colours and keeps all other attributes.
    func codes(isColoured: Bool) -> [Int] {
        var codes: [Int] = []
        if isStrong { codes.append(1) }
        if isFaint { codes.append(2) }
        if isReversed { codes.append(7) }
        guard isColoured else { return codes }
        switch tone {
        case .plain: break
        case .good: codes.append(32)
        case .warning: codes.append(33)
        case .bad: codes.append(31)
        case .accent: codes.append(36)
        }
        return codes
    }
}
