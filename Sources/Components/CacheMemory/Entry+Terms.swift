public import CacheModel

/// Entries that a node loaded, and that may answer past their lifetime.
///
/// Such an entry ends when its longer window does. Its lifetime is over that much earlier. With an
/// ETag it is kept for a while longer, hidden: the origin is asked about it before it is loaded
/// whole.
extension Entry {
    /// Whether it is on terms. Any other entry is over when its life is, and costs one test here.
    @inlinable package var isOnTerms: Bool {
        @inline(__always) get {
            flags.contains(.validated) && LoadTerms.begin(validation)
        }
    }

    /// First nanosecond after boot at which it is past its lifetime, which is its end if it is on
    /// no terms; the greatest number if it never is.
    @inlinable package var freshEndNanoseconds: UInt64 {
        let end = end
        guard flags.contains(.validated) else { return end.nanoseconds }
        return Self.freshEndNanoseconds(end, validation)
    }

    @inlinable
    static func freshEndNanoseconds(_ end: EntryEnd, _ section: UnsafeRawBufferPointer) -> UInt64 {
        let nanoseconds = end.nanoseconds
        guard end != .never, LoadTerms.begin(section) else { return nanoseconds }
        let window = LoadTerms.longestWindowNanoseconds(in: section)
        return nanoseconds > window ? nanoseconds &- window : 0
    }

    /// When it is of no use any more: at its end, or later if it can be asked about.
    var gone: EntryEnd {
        let end = end
        guard end != .never, flags.contains(.validated), isAskedAbout else { return end }
        return EntryEnd(
            Instant(nanoseconds: end.nanoseconds).advanced(by: MemoryTierLimits.endedFor))
    }

    /// Whether its loader asks the origin about it, however old it is.
    private var isAskedAbout: Bool {
        let section = validation
        return LoadTerms.begin(section) && !LoadTerms.validator(in: section).isEmpty
    }

    /// Its end if its lifetime is over at `moment`.
    func end(freshUntil moment: Instant) -> EntryEnd {
        EntryEnd(moment.advanced(by: terms?.longestWindow ?? .zero))
    }

    /// Overwrites its terms by those of `validation`, as far as it has room for any. Where that
    /// brings none, its windows are over; that there is none stays said.
    func rewriteTerms(_ validation: UnsafeRawBufferPointer) {
        guard let own = terms else { return }
        var terms = LoadTerms(stored: validation) ?? LoadTerms(isNegative: own.isNegative)
        terms.said = own.said == nil ? nil : terms.said ?? SaidFreshness()
        for (index, byte) in terms.head.enumerated() {
            base.storeBytes(
                of: byte, toByteOffset: validatorOffset + 1 + index, as: UInt8.self)
        }
    }
}

extension StoreCandidate {
    /// When its lifetime is over: before its end by the longer of the windows that it brings.
    var freshUntil: Instant? {
        guard let expiresAt, let terms = LoadTerms(stored: validator) else { return expiresAt }
        let window = terms.longestWindow.wholeNanoseconds
        return Instant(nanoseconds: expiresAt.nanoseconds - min(window, expiresAt.nanoseconds))
    }
}

extension EntryView {
    /// Whether it is past its lifetime, and there only because of a stale window.
    @inlinable
    package func isPastLifetime(at now: Instant) -> Bool {
        entry.isOnTerms && entry.freshEndNanoseconds <= now.nanoseconds
    }

    /// Whether it is over, and there only to be asked about.
    package func hasEnded(at now: Instant) -> Bool { entry.end <= EntryEnd(now) }

    /// Whether the origin said that there is no such value.
    @inlinable package var isNegative: Bool {
        entry.isOnTerms && entry.validation[1] & 1 != 0
    }

    /// Nanoseconds of its lifetime that are left to what has a value: 0 if it is past it, or says
    /// that there is none; the greatest number if it never ends.
    @inlinable
    package func lifetimeLeft(at now: Instant) -> UInt64 {
        var end = entry.end.nanoseconds
        if entry.flags.contains(.validated) {
            let section = entry.validation
            if LoadTerms.begin(section), section[1] & 1 != 0 { return 0 }
            end = Entry.freshEndNanoseconds(entry.end, section)
        }
        guard end != .max else { return .max }
        return end > now.nanoseconds ? end &- now.nanoseconds : 0
    }

    /// On what terms it was loaded; `nil` if it is over when its life is.
    package var terms: LoadTerms? { entry.terms }

    /// First moment at which it is past its lifetime; `nil` if it never is. That is its end if it
    /// is on no terms.
    @inlinable package var freshUntil: Instant? {
        let end = entry.freshEndNanoseconds
        return end == .max ? nil : Instant(nanoseconds: end)
    }
}
