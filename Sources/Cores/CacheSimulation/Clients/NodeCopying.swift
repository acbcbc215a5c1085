import CacheModel
import CacheNodeCore
import CacheWire

/// Nodes that copy entries from each other, one key at a time, at random moments: replicas, in some
/// of the seeds and not only after a start, and owners of slots from the owners before.
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
        let isChosen = timeline.separate.copying.chance(perMille: Self.copyingPerMille)
        guard isChosen && settings.kind == .replicated || settings.hasSlots else { return }
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
        if settings.hasSlots { return copyArrived() }
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
        let key = Catalog.items[item]
        let shard = nodes.shard(at: place)
        guard !shard.isHeldUp else { return }
        let claimed = shard.core.claim([key.key], in: key.namespace, now: clock(of: place))
        guard let claimed, !claimed.missing.isEmpty else { return }
        let asked = WarmUp.CopyRequest(
            namespace: key.namespace, keys: [key.key], fence: claimed.fence)
        ask(
            ShardPlace(run: peer, shard: place.shard),
            Copying(place: place, item: item, request: asked, askedAt: clock(of: place)))
    }

    private func clock(of place: ShardPlace) -> Instant {
        nodes.runs[place.run].clock.reading(at: now)
    }

    // MARK: Owners before

    /// Some shard copies a key of slots that arrived there.
    private func copyArrived() {
        let shards = nodes.newestRun.filter { $0 >= 0 && nodes.runs[$0].runs }
            .flatMap { nodes.runs[$0].shards }.filter { !$0.arrivals.isEmpty && !$0.isHeldUp }
        guard !shards.isEmpty else { return }
        let shard = timeline.separate.copying.pick(shards)
        let move = timeline.separate.copying.pick(Array(shard.arrivals.suffix(4)))
        let items = Catalog.items.indices.filter { item in
            Catalog.items[item].key.bytes.withUnsafeBytes {
                move.slots.contains(HashSlot(of: $0))
            }
        }
        guard !items.isEmpty else { return }
        let item = timeline.separate.copying.pick(items)
        let key = Catalog.items[item]
        let claimed = shard.core.claim(
            [key.key], in: key.namespace, of: move.change, now: clock(of: shard.place))
        guard let claimed, !claimed.missing.isEmpty else { return }
        var asked = WarmUp.CopyRequest(
            namespace: key.namespace, keys: [key.key], fence: claimed.fence)
        asked.change = move.change
        ask(
            move,
            Copying(
                place: shard.place, item: item, request: asked, askedAt: clock(of: shard.place)))
    }

    /// A shard requests keys from the owner before, for readers that wait.
    func ask(_ pull: SlotPull, for shard: SimulatedShard) {
        for key in pull.request.keys {
            let item = Catalog.items.firstIndex {
                $0.key == key && $0.namespace == pull.request.namespace
            }
            guard let item else { continue }
            shard.pulledItems.insert(item)
            count(.pulls)
            let one = pull.of(key)
            var copying = Copying(
                place: shard.place, item: item, request: one.request,
                askedAt: clock(of: shard.place))
            copying.pull = one
            ask(pull.move, copying)
        }
    }

    private func ask(_ move: SlotMove, _ copying: Copying) {
        let node = (0..<settings.nodeCount).first { SimulatedNodes.id(of: $0) == move.node }
        guard let node, nodes.newestRun[node] >= 0 else { return }
        let run = nodes.runs[nodes.newestRun[node]]
        guard !run.isDead, move.shard < settings.shardCount else { return }
        var copying = copying
        copying.isOfMove = true
        ask(ShardPlace(run: run.number, shard: move.shard), copying)
    }

    private func ask(_ peer: ShardPlace, _ copying: Copying) {
        var request = Request(purpose: .copying(copying), place: peer, items: [copying.item])
        let position = copying.request.position
        request.atLeast = position
        request.step = step
        let id = requests.nextID()
        requests[id] = request
        note(.shard(copying.place), "copies key", copying.item, at: position)
        nodes.network.send(
            .request(peer, copying.request.frame(number: id)),
            over: nodes.runs[peer.run].links.requests, run: peer.run)
    }

    /// The peer's answer is a message to the shard that asked.
    func copied(_ copying: Copying, _ answer: Answer) {
        guard !nodes.runs[copying.place.run].isDead else { return }
        let isMiss = answer.outcomes.first?.status == .miss
        let reading = answer.given.flatMap { CopyReading.read($0.frame, of: copying.request) }
        let batch = (reading?.copies ?? (isMiss ? [] : nil)).map {
            WarmUp.Batch(
                shard: copying.place.shard, of: copying.request, askedAt: copying.askedAt,
                copies: $0)
        }
        let shard = nodes.shard(at: copying.place)
        if let pull = copying.pull {
            shard.letters.append(.pulled(pull, batch, answer.given))
        } else {
            guard let batch, !batch.copies.isEmpty, let given = answer.given else { return }
            shard.letters.append(.copies(batch, given))
        }
        nodes.wake(shard, at: soon())
    }
}
