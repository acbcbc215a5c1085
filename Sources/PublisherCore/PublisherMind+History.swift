import CacheInvalidation
import CacheModel
import CacheWire

/// Where the log stands when its records are lost, and what happens when a node knows better.
/// docs/decisions/0004 gives the reasons.
extension PublisherMind {
    /// Whether nobody can have built on what this publisher believes about a log it did not keep.
    private var mayContinueAnother: Bool {
        isHistoryBorrowed && !hasAppended && appending == nil
    }

    /// Decides where a log without a history stands, once every registered node was heard or had
    /// the time to greet: where the most advanced node stands, or at the beginning of a new log if
    /// no node knows one.
    mutating func decideHistory(now: Instant) {
        guard !log.hasHistory,
            grants.isEveryNodeHeard || grants.greetingsEnd <= now
                || !plan.guards.isOn(.restartWait)
        else { return }
        if let told = furthestTold, log.outlivesItsProcess {
            // Records that were to survive have not, and nobody knows all that they said. What goes
            // on is another log: some node may know an epoch of the lost one that nobody has told.
            beginOwnLog(in: told.mark.position.epoch.next)
            statistics.epochsOpened += 1
        } else if let told = furthestTold {
            continueHistory(of: told.log, from: told.mark)
        } else {
            beginOwnLog(in: Epoch(1))
        }
        for entry in grants.everyEntry {
            _ = hear(entry.run, entry.reported, of: entry.log, now: now)
        }
        furthestTold = nil
        nextHeartbeat = now
    }

    private mutating func beginOwnLog(in epoch: Epoch) {
        let start = LogPosition(epoch: epoch, sequence: .none)
        log.continueHistory(
            of: freshID, from: LogMark(position: start, digest: LogDigest(startOf: freshID)))
        restartFloors(isCertain: true)
    }

    /// Notes a mark that may become the log's place. Of equal positions the greater log id, so that
    /// the outcome does not hang on an order.
    private mutating func remember(_ mark: LogMark, of log: LogID) {
        guard log != .none, mark.position.epoch != .none,
            plan.guards.isOn(.continuedHistory)
        else { return }
        if let told = furthestTold,
            (told.mark.position, told.log.rawValue) >= (mark.position, log.rawValue)
        {
            return
        }
        furthestTold = (log, mark)
    }

    private mutating func continueHistory(of id: LogID, from mark: LogMark) {
        log.continueHistory(of: id, from: mark)
        // Another node may stand further, under records that nobody has any more.
        restartFloors(isCertain: false)
        statistics.historiesContinued += 1
    }

    /// Whether a mark can be believed at all. A wild epoch would use up all there are, and behind
    /// the last number of an epoch no log could go on.
    func isBelievable(_ mark: LogMark) -> Bool {
        mark.position.epoch <= max(InvalidationLimits.epochReportedMax, log.head.position.epoch)
            && (mark.position.sequence < .max || mark.position <= log.head.position)
    }

    /// A run says where it stands: notes it, and what follows for the log and for receipts.
    ///
    /// - Parameter claimed: of which log; `nil` for the one it named when it introduced itself.
    /// - Returns: whether the mark is the log's.
    mutating func hear(
        _ run: NodeRun, _ mark: LogMark, of claimed: LogID? = nil, state: NodeState? = nil,
        now: Instant
    ) -> Bool {
        let known = claimed ?? grants.entry(of: run)?.log ?? .none
        if !log.hasHistory { remember(mark, of: known) }
        let isOurs = log.hasHistory && isOfTheLog(mark, of: known, now: now)
        grants.heard(
            run, reporting: mark, provenIn: isOurs ? log.id : nil, state: state, now: now)
        if isOurs { receipts.applied(run, upTo: mark.position, now: now) }
        return isOurs
    }

    /// Compares a registered node's mark with the log. A node that is ahead of it, or unlike it,
    /// proves that the log lost records: see ``repairHistory(of:mark:now:)``.
    private mutating func isOfTheLog(_ mark: LogMark, of claimed: LogID, now: Instant) -> Bool {
        let standing = log.standing(of: mark)
        switch standing {
        case .ofTheLog: return true
        case .unlike where !plan.guards.isOn(.markDigest): return true
        case .beforeTail, .olderEpoch: return false
        case .unlike
        where claimed != log.id && claimed != .none && mark.position < log.head.position:
            // Another log that lies behind this one: TRUNCATED moves its node forward, and nobody
            // else has ever built on it.
            return false
        case .ahead, .unlike:
            return repairHistory(of: claimed, mark: mark, ahead: standing == .ahead, now: now)
        }
    }

    /// Goes on where the node stands while nothing was appended since a start without records;
    /// afterwards opens an epoch greater than every one ever reported. Either hides everything on
    /// every other node, so both are bounded in number.
    ///
    /// - Returns: whether the mark is the log's now.
    private mutating func repairHistory(
        of claimed: LogID, mark: LogMark, ahead: Bool, now: Instant
    ) -> Bool {
        nextHeartbeat = now
        let continues = ahead && mayContinueAnother && claimed != .none
        let greatest = max(log.head.position.epoch, mark.position.epoch)
        // Until the log moves the node gets no lease, as if it had not been heard.
        guard continues || greatest.rawValue < .max && plan.guards.isOn(.newEpoch),
            epochsOnWord.take(now: now)
        else { return false }
        if continues {
            continueHistory(of: claimed, from: mark)
        } else {
            openEpoch(greatest.next)
        }
        return continues
    }

    /// Takes over which operations the log's newest records did, so that one that is repeated
    /// across a restart is answered with its first position.
    mutating func recallOperations() {
        guard log.hasHistory else { return }
        let head = log.head.position.sequence
        let recalled = UInt64(InvalidationLimits.operationsRecalledMax)
        let oldest = head.rawValue > recalled ? head.rawValue - recalled : 0
        var after = SequenceNumber(max(oldest, log.tail.rawValue - 1))
        while after < head {
            guard let records = log.read(after: after, limit: WireLimits.replayRecordsMax),
                let last = records.last
            else {
                // Where something was found damaged, the newer ones are still there.
                let oldest = SequenceNumber(log.tail.rawValue - 1)
                guard oldest > after else { return }
                after = oldest
                continue
            }
            for sealed in records {
                operations.remember(OperationImprint(sealed.record), at: sealed.position)
            }
            after = last.position.sequence
        }
    }
}
