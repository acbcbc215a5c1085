import CacheModel
import CacheNodeCore
import CacheWire

/// Nodes of a replicated cluster that copy entries from each other, in some of the seeds: one key
/// at a time, at random moments, and not only after a start.
///
/// All random choices here use a separate generator, so that a seed without copies has the same
/// course as a simulation without this feature.
struct NodeCopying: WorldPart {
    /// How many of a thousand replicated seeds have it.
    private static let copyingPerMille = 110

    let nodes: SimulatedNodes
    let requests: RequestTable
    let configuration: ClusterConfiguration

    var timeline: Timeline { nodes.timeline }

    func planCopying() {
        guard timeline.separate.copying.chance(perMille: Self.copyingPerMille),
            settings.kind == .replicated
        else {
            return
        }
        count(.copySeeds)
        planCopy()
    }

    private func planCopy() {
        let pause = timeline.separate.copying.number(in: 0...settings.readEveryMicroseconds)
        timeline.add(.nodeCopies, at: now + .microseconds(pause))
    }

    /// A shard takes a fence and asks another node's shard.
    func nodeCopies() {
        guard !isExamined else { return }
        planCopy()
        let item = timeline.separate.copying.below(Catalog.items.count)
        let pair = (
            timeline.separate.copying.below(settings.nodeCount),
            timeline.separate.copying.below(settings.nodeCount)
        )
        let (own, peer) = (nodes.newestRun[pair.0], nodes.newestRun[pair.1])
        guard pair.0 != pair.1, own >= 0, peer >= 0, nodes.runs[own].runs,
            !nodes.runs[peer].isDead
        else { return }
        let place = ShardPlace(run: own, shard: configuration.home(of: item).shard)
        let shard = nodes.shard(at: place)
        guard !shard.isHeldUp else { return }
        let (key, namespace) = (Catalog.items[item].key, Catalog.items[item].namespace)
        let clock = nodes.runs[own].clock.reading(at: now)
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
        let id = requests.nextID()
        requests[id] = request
        note(.shard(place), "copies key", item, at: claimed.fence.mark.position)
        nodes.network.send(
            .request(request.place, asked.frame(number: id)),
            over: nodes.runs[peer].links.requests, run: peer)
    }

    /// The peer's answer is a message to the shard that asked.
    func copied(_ copying: Copying, _ answer: Answer) {
        guard let given = answer.given, !nodes.runs[copying.place.run].isDead,
            let reading = CopyReading.read(given.frame, of: copying.request)
        else { return }
        guard !reading.copies.isEmpty else { return }
        let batch = WarmUp.Batch(
            shard: copying.place.shard, of: copying.request, askedAt: copying.askedAt,
            copies: reading.copies)
        let shard = nodes.shard(at: copying.place)
        shard.letters.append(.copies(batch, given))
        nodes.wake(shard, at: soon())
    }
}
