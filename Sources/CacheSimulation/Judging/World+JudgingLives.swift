import CacheModel
import CacheWire
import PublisherCore

/// Whether a publisher names the run of a node that was granted a lease last, or none.
extension World {
    /// A grant of one run, after another run's.
    struct Life {
        let run: Incarnation
        let generation: Int
        /// In which epoch: no tier outlives it, so a publisher that opens one forgets what it read.
        let epoch: Epoch
        /// The world's step of its first grant.
        let step: Int
    }

    func noteGrant(of run: SimulatedRun) {
        let life = Life(
            run: run.incarnation, generation: publisher.generation,
            epoch: publisher.mind.log.head.position.epoch, step: step)
        if let last = lives[run.node]?.last, last.run == life.run,
            last.generation == life.generation, last.epoch == life.epoch
        {
            return
        }
        lives[run.node, default: []].append(life)
    }

    /// A run that never had a lease may find on its disk what the run left that it is told of: no
    /// other may have stored anything since.
    func judgePreviousRun(of run: SimulatedRun, _ frame: [UInt8]) throws(Violation) {
        let previous = try Self.decoded(frame) { try Welcome(decoding: $0) }.previousRun
        let lives = lives[run.node] ?? []
        guard previous != .none, !lives.contains(where: { $0.run == run.incarnation }) else {
            return
        }
        guard
            lives.last?.run == previous || isLater(previous, than: lives)
                || lives.last.map({ isForgotten($0.step, by: previous) }) ?? false
        else {
            throw Violation(
                "run \(run.number) is told that \(name(previous)) was the last, and that was "
                    + (lives.last.map { name($0.run) } ?? "none"))
        }
        let epoch = publisher.mind.log.head.position.epoch
        let lately = lives.filter {
            $0.generation == publisher.generation && $0.epoch == epoch
        }
        guard lately.dropLast().allSatisfy({ $0.run != previous }) else {
            throw Violation("run \(run.number) is told of a life that another one interrupted")
        }
        tally.livesTold += 1
    }

    private func name(_ incarnation: Incarnation) -> String {
        let run = runs.first { $0.incarnation == incarnation }
        return run.map { "run \($0.number), heard at step \($0.pingedStep)" } ?? "a run before"
    }

    /// Whether a run that was granted no lease was heard after the last that was granted one. A
    /// PING of it was noted, and refused for its mark: that it is named costs a tier at most. Which
    /// of them began first says nothing: of two runs at a time the older may be noted last.
    private func isLater(_ incarnation: Incarnation, than lives: [Life]) -> Bool {
        // Of grants that the book has lost the publisher knows nothing; see isForgotten.
        let isKnown = lives.contains { $0.run == incarnation && $0.step > publisher.bookLostStep }
        guard !isKnown,
            let named = runs.first(where: { $0.incarnation == incarnation })
        else { return false }
        guard let last = lives.last else { return true }
        return named.pingedStep > last.step
    }

    /// docs/decisions/0034: where the book of lives was lost, a run that comes back counts as new,
    /// and what others did before is not known any more.
    ///
    /// - Parameter step: when another run had, or stored, something.
    func isForgotten(_ step: Int, by incarnation: Incarnation) -> Bool {
        guard publisher.bookLostStep > step,
            let named = runs.first(where: { $0.incarnation == incarnation })
        else { return false }
        return named.pingedStep > publisher.bookLostStep
    }

    /// A publisher has started: it knows no lives if they are not kept, or are another log's or
    /// another epoch's.
    func noteBook(of log: LogID) {
        let isKept =
            disk?.contents.lives != nil && publisher.bookLog == log
            && publisher.mind.log.head.position.epoch <= publisher.openedEpoch
        if !isKept { publisher.bookLostStep = step }
        publisher.bookReadStep = step
        publisher.bookLog = log
    }

    /// Keeps the book of lives, or fails to in one of three ways.
    func keepLives(_ bytes: [UInt8]) throws(Violation) {
        guard let disk else { return }
        var trouble: String?
        var isGone = false
        if settings.faults.contains(.diskFaults), !isCalm, livesDice.chance(perMille: 100) {
            trouble = "the disk is full"
            switch livesDice.below(3) {
            case 0: isGone = true
            case 1: disk.contents.lives = bytes
            default: break
            }
            if isGone { disk.contents.lives = nil }
        } else {
            disk.contents.lives = bytes
        }
        var actions: [PublisherAction] = []
        publisher.mind.livesKept(
            trouble, isGone: isGone, now: publisher.clock.reading(at: now), into: &actions)
        for action in actions { try perform(action) }
    }
}
