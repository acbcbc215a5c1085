import CacheModel
import CacheNodeCore
import CacheWire

/// Nodes of a replicated cluster that copy entries from each other, in some of the seeds: one key
/// at a time, at random moments, and not only after a start.
///
/// All random choices here use a separate generator, so that a seed without copies has the same
/// course as a simulation without this feature.
extension World {
    /// How many of a thousand replicated seeds have it.
    private static let copyingPerMille = 110

    /// Chosen so that no named seed has it, and no seed that is known to detect a missing guard.
    private static let copySalt: UInt64 = 12_607

    static func copyDice(of seed: UInt64) -> Dice {
        Dice(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ copySalt)
    }

    func planCopying() {
        guard copyDice.chance(perMille: Self.copyingPerMille), settings.kind == .replicated else {
            return
        }
        tally.copySeeds += 1
        planCopy()
    }

    private func planCopy() {
        let pause = copyDice.number(in: 0...settings.readEveryMicroseconds)
        queue.add(.nodeCopies, at: now + .microseconds(pause))
    }

    /// A shard takes a fence and asks another node's shard.
    func nodeCopies() {
        guard examined == nil else { return }
        planCopy()
        let item = copyDice.below(Catalog.items.count)
        let nodes = (copyDice.below(settings.nodeCount), copyDice.below(settings.nodeCount))
        let (own, peer) = (newestRun[nodes.0], newestRun[nodes.1])
        guard nodes.0 != nodes.1, own >= 0, peer >= 0, runs[own].runs, !runs[peer].isDead else {
            return
        }
        let place = ShardPlace(run: own, shard: home(of: item).shard)
        let shard = shard(at: place)
        guard !shard.isHeldUp else { return }
        let (key, namespace) = (Catalog.items[item].key, Catalog.items[item].namespace)
        let clock = runs[own].clock.reading(at: now)
        guard let claimed = shard.core.claim([key], in: namespace, now: clock),
            !claimed.missing.isEmpty
        else { return }
        let asked = WarmUp.CopyRequest(namespace: namespace, keys: [key], fence: claimed.fence)
        var request = Request(
            purpose: .copying(
                Copying(place: place, item: item, request: asked, askedAt: clock)),
            place: ShardPlace(run: peer, shard: place.shard), items: [item])
        request.atLeast = claimed.fence.mark.position
        request.step = step
        requestCount += 1
        requests[requestCount] = request
        note(.shard(place), "copies key", item, at: claimed.fence.mark.position)
        send(
            .request(request.place, asked.frame(number: requestCount)),
            over: runs[peer].links.requests, run: peer)
    }

    /// The peer's answer is a message to the shard that asked.
    func copied(_ copying: Copying, _ answer: Answer) {
        guard let given = answer.given, !runs[copying.place.run].isDead,
            let reading = CopyReading.read(given.frame, of: copying.request)
        else { return }
        guard !reading.copies.isEmpty else { return }
        let batch = WarmUp.Batch(
            shard: copying.place.shard, of: copying.request, askedAt: copying.askedAt,
            copies: reading.copies)
        let shard = shard(at: copying.place)
        shard.letters.append(.copies(batch, given))
        wake(shard, at: soon())
    }

    /// The shard stores it, and that is judged like any other store: a value that was read before a
    /// record that covers it, and that the shard has applied, must not be stored.
    func store(
        _ batch: WarmUp.Batch, _ given: Answer.Given, in shard: SimulatedShard, _ clock: Instant
    ) throws(Violation) {
        guard shard.core.store(batch, now: clock).count == 1 else { return }
        tally.copies += 1
        let fill = given.fill
        note(.shard(shard.place), "stores a copy of fill", fill.number)
        if case .fenced = fill.claim { try judgeReadSince(fill, of: shard) }
        shard.memory.copy(fill, given.holding, step: step)
        noteStore(fill.item, in: shard)
    }
}

/// A copy that was requested.
struct Copying {
    /// The shard that asked.
    var place: ShardPlace
    var item: Int
    var request: WarmUp.CopyRequest
    /// By the clock of that shard.
    var askedAt: Instant
}
