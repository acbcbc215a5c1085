public import CacheModel

/// Entries loaded by a node that may be served beyond their lifetime.
///
/// Such an entry ends with its longer window. Its lifetime ends earlier by that window. With an
/// ETag it is kept for a while longer, hidden, so that the origin can be asked to revalidate it
/// before a full load.
extension Entry {
    /// Whether it has terms. The end of any other entry is its lifetime's end, and costs one test
    /// here.
    @inlinable package var isOnTerms: Bool {
        @inline(__always) get {
            flags.contains(.validated) && LoadTerms.begin(validation)
        }
    }

    /// First nanosecond after boot past its lifetime, which is its end if it has no terms; the
    /// greatest number if there is none.
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

    /// When it becomes useless: at its end, or later if it can be revalidated.
    var gone: EntryEnd {
        let end = end
        guard end != .never, flags.contains(.validated), isAskedAbout else { return end }
        return EntryEnd(
            Instant(nanoseconds: end.nanoseconds).advanced(by: MemoryTierLimits.endedFor))
    }

    /// Whether its loader revalidates it with the origin, however old it is.
    private var isAskedAbout: Bool {
        let section = validation
        return LoadTerms.begin(section) && !LoadTerms.validator(in: section).isEmpty
    }

    /// Its end if its lifetime ends at `moment`.
    func end(freshUntil moment: Instant) -> EntryEnd {
        EntryEnd(moment.advanced(by: terms?.longestWindow ?? .zero))
    }

    /// Replaces its terms by those of `validation`, as far as it has space for them. Without new
    /// terms its windows are over; a negative entry stays negative.
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
    /// The end of its lifetime: before its end by the longer of its windows.
    var freshUntil: Instant? {
        guard let expiresAt, let terms = LoadTerms(stored: validator) else { return expiresAt }
        let window = terms.longestWindow.wholeNanoseconds
        return Instant(nanoseconds: expiresAt.nanoseconds - min(window, expiresAt.nanoseconds))
    }
}

extension EntryView {
    /// Whether it is past its lifetime, and only served because of a stale window.
    @inlinable
    package func isPastLifetime(at now: Instant) -> Bool {
        entry.isOnTerms && entry.freshEndNanoseconds <= now.nanoseconds
    }

    /// Whether it has ended, and is only kept for revalidation.
    package func hasEnded(at now: Instant) -> Bool { entry.end <= EntryEnd(now) }

    /// Whether the origin reported that there is no such value.
    @inlinable package var isNegative: Bool {
        entry.isOnTerms && entry.validation[1] & 1 != 0
    }

    /// Remaining nanoseconds of its lifetime: 0 if it is past it, or negative; the greatest number
    /// if it never ends.
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

    /// The terms of its load; `nil` if its end is its lifetime's end.
    package var terms: LoadTerms? { entry.terms }

    /// First moment past its lifetime; `nil` if there is none. It is its end if it has no terms.
    @inlinable package var freshUntil: Instant? {
        let end = entry.freshEndNanoseconds
        return end == .max ? nil : Instant(nanoseconds: end)
    }
}
