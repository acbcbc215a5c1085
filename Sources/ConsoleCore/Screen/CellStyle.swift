/// How a cell looks. A tone says what it means; the terminal's owner has chosen the colours.
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

    /// The numbers of SGR for it, from a terminal without any.
    ///
    /// - Parameter isColoured: `false` leaves out the colours, and keeps what is no colour.
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
