public import CacheModel

/// Entries that a node loaded, and that may answer past their lifetime.
///
/// Such an entry ends when its longer window does. Its lifetime is over that much earlier.
extension Entry {
    /// Whether it is on terms. Any other entry is over when its life is, and costs one test here.
    @inlinable package var isOnTerms: Bool {
        @inline(__always) get {
            flags.contains(.validated) && LoadTerms.begin(validation)
        }
    }

    /// First tick at which it is past its lifetime; its end if it is on no terms.
    @inlinable package var freshEndTick: UInt64 {
        let end = endTick
        guard end != Self.never, flags.contains(.validated) else { return end }
        return Self.freshEndTick(end, validation)
    }

    @inlinable
    static func freshEndTick(_ end: UInt64, _ section: UnsafeRawBufferPointer) -> UInt64 {
        guard end != never, LoadTerms.begin(section) else { return end }
        // Rounded so that a lifetime ends early and never late, as an end does.
        let window = LoadTerms.longestWindowNanoseconds(in: section)
        let ticks = (window &+ (1 &<< endTickShift &- 1)) &>> endTickShift
        return end > ticks ? end &- ticks : 0
    }

    /// Its end if its lifetime is over at `moment`.
    func endTick(freshUntil moment: Instant) -> UInt64 {
        Self.endTick(moment.advanced(by: terms?.longestWindow ?? .zero))
    }

    /// Overwrites its terms by those of `validation`, if it has room for any. Where that brings
    /// none, its windows are over; that there is none stays said.
    func rewriteTerms(_ validation: UnsafeRawBufferPointer) {
        guard isOnTerms else { return }
        var terms = LoadTerms(isNegative: terms?.isNegative ?? false)
        if let others = LoadTerms(stored: validation) { terms = others }
        for (index, byte) in terms.stored(with: nil).enumerated() {
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
        entry.isOnTerms && entry.freshEndTick <= Entry.endTick(now)
    }

    /// Whether the origin said that there is no such value.
    @inlinable package var isNegative: Bool {
        entry.isOnTerms && entry.validation[1] & 1 != 0
    }

    /// Nanoseconds of its lifetime that are left to what has a value: 0 if it is past it, or says
    /// that there is none; the greatest number if it never ends.
    @inlinable
    package func lifetimeLeft(at now: Instant) -> UInt64 {
        var tick = entry.endTick
        if entry.flags.contains(.validated) {
            let section = entry.validation
            if LoadTerms.begin(section), section[1] & 1 != 0 { return 0 }
            tick = Entry.freshEndTick(tick, section)
        }
        guard tick != Entry.never else { return .max }
        let end = tick &<< Entry.endTickShift
        return end > now.nanoseconds ? end &- now.nanoseconds : 0
    }

    /// On what terms it was loaded; `nil` if it is over when its life is.
    package var terms: LoadTerms? { entry.terms }

    /// First moment at which it is past its lifetime; `nil` if it never is. That is its end if it
    /// is on no terms.
    @inlinable package var freshUntil: Instant? {
        let tick = entry.freshEndTick
        return tick == Entry.never ? nil : Instant(nanoseconds: tick &<< Entry.endTickShift)
    }
}
