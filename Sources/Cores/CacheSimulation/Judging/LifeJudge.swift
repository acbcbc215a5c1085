import CacheModel
import CacheWire
import PublisherCore

/// Judges whether a publisher names the run of a node with the last lease, or none.
final class LifeJudge: WorldPart {
    /// A lease grant of one run, after another run's.
    struct Life {
        let run: Incarnation
        let generation: Int
        /// Its epoch: no tier outlives it, so a publisher that opens an epoch forgets the table it
        /// read.
        let epoch: Epoch
        /// The world's step of its first grant.
        let step: Int
        /// Of the PING that it was granted for, which one of several publishers took earlier: the
        /// grant waited until the run was in the store.
        let takenStep: Int
    }

    let timeline: Timeline
    private let nodes: SimulatedNodes
    private var publisher: SimulatedPublisher { nodes.publisher }
    /// By node, the runs that publishers granted leases to, one after the other.
    private var lives: [Int: [Life]] = [:]
    /// The step at which a publisher last started without the table of each node's last run.
    private var tableLostStep = 0
    /// When this publisher read that table, and the log of the table.
    private var tableReadStep = 0
    private var tableLog = LogID.none

    init(_ nodes: SimulatedNodes) {
        (timeline, self.nodes) = (nodes.timeline, nodes)
    }

    func noteGrant(of run: SimulatedRun) {
        let life = Life(
            run: run.incarnation, generation: publisher.generation,
            epoch: publisher.core.log.head.position.epoch, step: step,
            takenStep: run.memory.takenStep)
        if let last = lives[run.node]?.last, last.run == life.run,
            last.generation == life.generation, last.epoch == life.epoch
        {
            return
        }
        lives[run.node, default: []].append(life)
        guard settings.shared != nil else { return }
        note(.publisher, "grants a lease after another run's, to run", run.number)
    }

    /// The store of several publishers was restored, with an earlier table. They open an epoch if
    /// they have seen a later state; the state of the last moments none may have seen.
    func noteRestored() { lives = [:] }

    /// The publisher has forgotten a node: its runs from before count as new.
    func noteForgotten(_ node: Int) { lives[node] = nil }

    /// A run without a lease so far may use the disk of the previous run in its WELCOME: no other
    /// run may have stored anything since.
    func judgePreviousRun(of run: SimulatedRun, _ frame: [UInt8]) throws(Violation) {
        let previous = try SentFrame.decoded(frame) { try Welcome(decoding: $0) }.previousRun
        let lives = lives[run.node] ?? []
        guard previous != .none, !lives.contains(where: { $0.run == run.incarnation }) else {
            return
        }
        guard
            lives.last?.run == previous || isLater(previous, than: lives)
                || lives.last.map({ isForgotten($0.step, by: previous) }) ?? false
        else {
            throw Violation(
                "run \(run.number) is told that the last run was \(name(previous)), and it was "
                    + (lives.last.map { name($0.run) } ?? "none"))
        }
        let epoch = publisher.core.log.head.position.epoch
        let lately = lives.filter {
            $0.generation == publisher.generation && $0.epoch == epoch
        }
        try Violation.unless(
            lately.dropLast().allSatisfy({ $0.run != previous || isPushedOut($0, of: run.node) }),
            "run \(run.number) gets a run that another one interrupted")
        count(.livesTold)
    }

    private func name(_ incarnation: Incarnation) -> String {
        let run = nodes.run(of: incarnation)
        return run.map { "run \($0.number), heard at step \($0.memory.pingedStep)" }
            ?? "a run before"
    }

    /// Whether a run without a lease was heard after the last run with one. The publisher recorded
    /// its PING and refused it a lease because of its mark: naming it costs at most a tier. The
    /// order of their starts does not matter: of two concurrent runs the older may be recorded
    /// last.
    private func isLater(_ incarnation: Incarnation, than lives: [Life]) -> Bool {
        // The publisher does not know grants that its table has lost; see isForgotten.
        guard let named = nodes.run(of: incarnation),
            !lives.contains(where: {
                $0.run == incarnation && $0.step > tableLostStep
                    && !isPushedOut($0, of: named.node)
            })
        else { return false }
        guard let last = lives.last else { return true }
        // PINGs that waited for the same proof are taken at one moment.
        return named.memory.pingedStep > last.step
            || settings.shared != nil && named.memory.pingedStep >= last.takenStep
    }

    /// The table names a bounded number of runs: one that comes back after as many others counts as
    /// new. A run that it names keeps its place when it is granted another lease.
    private func isPushedOut(_ life: Life, of node: Int) -> Bool {
        let first = lives[node]?.first { $0.run == life.run && $0.step > tableLostStep } ?? life
        let others = nodes.runs.count {
            $0.node == node && $0.incarnation != life.run && $0.memory.pingedStep > first.step
        }
        return others >= PublisherLimits.livesPerNodeMax
    }

    /// docs/decisions/0034: after the loss of the table of lives, a returning run counts as new,
    /// and earlier actions of other runs are no longer known.
    ///
    /// - Parameter step: when another run had a lease, or stored a value.
    func isForgotten(_ step: Int, by incarnation: Incarnation) -> Bool {
        guard tableLostStep > step,
            let named = nodes.run(of: incarnation)
        else { return false }
        return named.memory.pingedStep > tableLostStep
    }

    /// A publisher has started. It has no table of lives if none is stored, or if it is of another
    /// log or epoch.
    func noteTable(isStored: Bool, openedEpoch: Epoch) {
        let log = publisher.core.log
        let isKept =
            isStored && tableLog == log.id && log.head.position.epoch <= openedEpoch
        if !isKept { tableLostStep = step }
        (tableReadStep, tableLog) = (step, log.id)
    }

    /// A new epoch begins: the notes of an earlier publisher no longer count.
    func noteEpoch() { tableLostStep = max(tableLostStep, tableReadStep) }
}
