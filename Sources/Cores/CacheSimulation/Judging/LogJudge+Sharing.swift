import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore

/// Judges what several publishers say of the one log in their store.
extension LogJudge {
    /// A publisher sends a record, perhaps long after another one has.
    func enter(_ record: SealedRecord, _ ledger: StoreLedger) throws(Violation) -> Bool {
        try Violation.unless(
            ledger.hasHad(record.digest),
            "a publisher sends \(record.position), which the store never had")
        let isLost = ledger.hasLost(record, of: publisher.core.log.id)
        guard !chronicle.knows(record.digest) || chronicle.hasLost(record.digest) && !isLost
        else { return false }
        step += 1
        count(.records)
        note(.publisher, "appends scopes:", record.record.scopes.count, at: record.position)
        if record.record.operation == .none { count(.echoes) }
        _ = chronicle.append(
            RecordFact(record, step: step, time: now, generation: publisher.generation))
        if isLost { chronicle.lose(record.digest) }
        return !isLost
    }

    /// A term begins with the records that its publisher has read.
    func noteTerm() {
        let log = publisher.core.log
        guard let ledger, log.hasHistory else { return }
        for record in ledger.records(of: log.id, upTo: log.head.position)
        where !chronicle.knows(record.digest) {
            step += 1
            count(.records)
            note(.publisher, "finds it had appended", at: record.position)
            _ = chronicle.append(
                RecordFact(record, step: step, time: now, generation: publisher.generation))
        }
    }

    /// A log that the store did not have begins. The store refuses it if another one has begun.
    func judgeBeginning() throws(Violation) {
        guard !publisher.memory.hasDecided, publisher.core.log.hasHistory else { return }
        publisher.memory.hasDecided = true
        try judgeWait()
        note(.publisher, "begins a log", at: publisher.core.log.head.position)
    }

    /// A writer asks for an invalidation.
    func noteAsked(_ frame: [UInt8]) throws(Violation) {
        guard let ledger else { return }
        let operation = try SentFrame.decoded(frame) { view in
            try InvalidateRequest(decoding: view).operation
        }
        ledger.noteAsked(for: operation, of: publisher.generation)
    }

    /// Nothing was invalidated, if that is said.
    func judgeDenial(_ frame: [UInt8], to peer: UInt32) throws(Violation) {
        guard let ledger, case .writer? = publisher.owners[peer] else { return }
        let (number, sentence) = try SentFrame.decoded(frame) {
            (Int(clamping: $0.requestID), try ErrorReply(decoding: $0).message)
        }
        guard sentence.contains("nothing was invalidated"),
            requests.intents.indices.contains(number)
        else { return }
        note(.publisher, "says that nothing was invalidated, for request", number)
        try ledger.judgeDenial(
            of: requests.intents[number].request.operation, by: publisher.generation, sentence)
    }

    /// Nothing was invalidated, if a publisher that leads no more does not say that it may have.
    func judgeHandOver(_ frame: [UInt8], to peer: UInt32) throws(Violation) {
        guard let ledger, case .writer? = publisher.owners[peer],
            frame[3] == MessageType.notLeader.rawValue
        else { return }
        let (number, answer) = try SentFrame.decoded(frame) {
            (Int(clamping: $0.requestID), try NotLeader(decoding: $0.body))
        }
        guard !answer.mayHaveHappened, requests.intents.indices.contains(number) else { return }
        note(.publisher, "leads no more, and has not begun request", number)
        try ledger.judgeDenial(
            of: requests.intents[number].request.operation, by: publisher.generation,
            "NOT LEADER")
    }
}
