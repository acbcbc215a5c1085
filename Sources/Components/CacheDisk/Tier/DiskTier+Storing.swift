package import CacheModel

/// Why an entry was not appended. Its previous record on disk is removed, except by
/// ``DiskTier/replace(_:_:for:)``.
package enum ShedCause: Equatable, Sendable {
    case tooLarge
    /// The next segment is still being reclaimed.
    case noSegment
    /// The disk is slower than appends.
    case tailFull
    /// It would exceed the share of its namespace.
    case overShare
    /// The tier is closed, or has given up.
    case notOpen
}

extension DiskTier {
    /// Appends an entry as the newest of its fingerprint.
    ///
    /// After this it survives any end of the process, unless it is longer than a record: then it is
    /// appended in parts, in the turns that follow. Not to be called before the tier is open.
    ///
    /// - Parameter account: of its namespace; `nil`: it is looked up by the name.
    /// - Returns: why it was not appended; `nil` if it was.
    /// - Complexity: O(bytes).
    package mutating func append(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint, for account: DiskAccount? = nil
    ) -> ShedCause? {
        expectBegun()
        guard state == .open else { return .notOpen }
        let account = if let account { account } else { log.account(of: entry.namespace) }
        guard !declines(entry, fingerprint, for: account, isStore: true) else {
            remove(fingerprint)
            return .overShare
        }
        var cause: ShedCause?
        if entry.recordBytes > log.recordBytesMax {
            cause = divide(entry, fingerprint, account)
        } else {
            log.endStore(fingerprint)
            cause = log.append(entry, fingerprint, account)
            if cause == nil { log.noteStored(entry.payloadBytes, entry.recordBytes) }
        }
        if cause != nil {
            log.statistics.storesShed += 1
            remove(fingerprint)
        }
        return cause
    }

    private mutating func divide(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint, _ account: DiskAccount
    ) -> ShedCause? {
        guard log.canDivide(entry, in: usedRingBytes) else { return .tooLarge }
        remove(fingerprint)
        return log.divide(entry, fingerprint, account) ? nil : .tailFull
    }

    /// Appends an entry in place of its fingerprint's record, which is kept on failure: only the
    /// disk has it. No entry is appended in parts.
    ///
    /// - Returns: why it was not appended; `nil` if it was.
    /// - Complexity: O(bytes).
    package mutating func replace(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint, for account: DiskAccount
    ) -> ShedCause? {
        expectBegun()
        guard state == .open else { return .notOpen }
        guard !declines(entry, fingerprint, for: account, isStore: true) else { return .overShare }
        let cause = log.append(entry, fingerprint, account)
        guard cause == nil else { return cause }
        log.endStore(fingerprint)
        log.noteStored(entry.payloadBytes, entry.recordBytes)
        return nil
    }

    /// Removes the value of a fingerprint. After this the removal survives any end of the process.
    ///
    /// Also for a key with a new value in memory: the old one must not come back. Nothing is
    /// appended if the index lacks the fingerprint. Not to be called before the tier is open.
    package mutating func remove(_ fingerprint: Fingerprint) {
        expectBegun()
        if log.remove(fingerprint) { reclaimer.end() }
    }

    /// Voids all entries of the tier: another epoch, or another log. Not to be called before the
    /// tier is open.
    package mutating func reset() {
        expectBegun()
        guard state == .open else { return }
        reclaimer.end()
        log.reset()
    }

    /// Notes that the publisher's log is applied up to this record: its keys are removed. Pending
    /// removals make the tier unsafe; the mark counts once they are done.
    package mutating func noteApplied(_ mark: LogMark) {
        guard state == .open else { return }
        log.tail.say { $0.applied = mark }
    }
}
