import CacheInvalidation
import CacheModel
import CacheNodeCore
import CacheWire
import PublisherCore

/// Calm after the faults, and the examination at the end.
extension World {
    func becomeCalm() {
        note(.world, "is calm")
        isCalm = true
        for run in runs { run.shards.forEach { $0.isAboutToHang = false } }
        originFault = nil
        healTiers()
        restoreMembers()
        recoveryEnds = now + settings.recovery
        plan(.inspection, within: 2_500_000...3_000_000)
    }

    /// All nodes must recover within bounded time, whatever happened.
    func inspect() throws(Violation) {
        for run in runs where run.isSuperseded { kill(run) }
        guard let sentence = whatIsWrong() else { return issueExamination() }
        guard now < recoveryEnds else { throw Violation("long after the last fault \(sentence)") }
        plan(.inspection, within: 200_000...300_000)
    }

    private func whatIsWrong() -> String? {
        guard publisher.runs, publisher.core.log.hasHistory else { return "there is no publisher" }
        let head = publisher.core.log.head
        guard publisher.core.areMembersSettled != false else { return "members are not settled" }
        for node in 0..<settings.nodeCount {
            let run = runs[newestRun[node]]
            guard run.runs else { return "n\(node) does not run" }
            let state = run.control.standing.state
            guard state == .live else { return "n\(node) is \(state)" }
            if run.shards.contains(where: \.isHeldUp) { return "a shard of n\(node) hangs" }
            for shard in run.shards where shard.memory.mark != head {
                return "n\(node) stands at \(shard.memory.mark), the publisher at \(head)"
            }
        }
        return nil
    }

    /// Sends a last invalidation, which all nodes must apply.
    private func issueExamination() {
        note(.world, "is well")
        let number = intents.count
        let request = InvalidateRequest(
            scopes: [Scope(.everything)], wait: .all, timeoutMilliseconds: 5_000,
            operation: OperationID(high: 0x1417, low: UInt64(number + 1)))
        examined = []
        intents.append(Intent(number: number, request: request, isFinal: true))
        askForInvalidation(number)
    }

    /// All nodes have applied it; now every shard must be usable again.
    func beginExamination(_ receipt: Receipt) throws(Violation) {
        guard receipt.isComplete, receipt.applied.count == settings.nodeCount else {
            throw Violation(
                "all faults are over, and the receipt for \(receipt.position) lists only "
                    + "\(receipt.applied.count) of \(settings.nodeCount) nodes as applied")
        }
        // A lease that was given before the node knew its configuration lasts five seconds.
        recoveryEnds = now + .milliseconds(10_000)
        for run in newestRun {
            for shard in runs[run].shards where firstItem(of: shard.place) != nil {
                examined?.insert(shard.place)
                try examine(shard.place)
            }
        }
    }

    /// Requests the shard's first key, until it is loaded, stored and found.
    func examine(_ place: ShardPlace) throws(Violation) {
        guard now < recoveryEnds else {
            throw Violation("all faults are over, and \(place) neither finds nor stores a value")
        }
        guard let item = firstItem(of: place) else { return }
        get(Request(purpose: .proof(item), place: place, items: [item]))
    }

    func examined(
        _ place: ShardPlace, _ item: Int, _ outcome: Answer.Outcome, _ answer: Answer
    ) throws(Violation) {
        if outcome.isFresh {
            note(.shard(place), "has passed")
            examined?.remove(place)
            if examined?.isEmpty == true { isOver = true }
            return
        }
        if outcome.status == .miss, let token = outcome.token {
            beginLoad(item, token, outcome.renewable, answer)
        }
        queue.add(.examination(place), at: now + .milliseconds(50))
    }
}
