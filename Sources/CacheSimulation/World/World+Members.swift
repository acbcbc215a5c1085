import CacheModel
import CacheWire
import PublisherCore

/// A node that is taken out of the configuration of a sharded cluster, and comes back.
///
/// All chance here is of dice of their own.
extension World {
    /// How many of a thousand seeds have it, where nothing else forbids it.
    static let membersPerMille = 700

    static func memberDice(of seed: UInt64) -> Dice {
        Dice(seed: seed &* 0xD1B5_4A32_D192_ED03 ^ 1)
    }

    func planMembers() {
        guard settings.membersChange else { return }
        tally.memberSeeds += 1
        planMembersChange()
    }

    /// A node that is named needs time to start and to be asked.
    private func planMembersChange() {
        let isWhole = members.count == settings.nodeCount
        let pause = memberDice.number(in: isWhole ? 300_000...1_200_000 : 30_000...400_000)
        queue.add(.membersChange, at: now + .microseconds(pause))
    }

    func membersChange() {
        guard !isCalm else { return }
        tally.memberChanges += 1
        let last = settings.nodeCount - 1
        if members.contains(last) {
            members.remove(last)
            memberLeftAt = now
        } else {
            members.insert(last)
        }
        configure()
        planMembersChange()
    }

    /// In the end everybody is there again.
    func restoreMembers() {
        guard members.count < settings.nodeCount else { return }
        members = Set(0..<settings.nodeCount)
        configure()
    }

    /// docs/consistency.md: of a node that left since an earlier publisher may have granted it a
    /// lease, one that does not know that does not hear.
    func keepUnknownMembers() {
        guard settings.mayGrantsBeForgotten, now < memberLeftAt + bound else { return }
        restoreMembers()
    }

    /// A publisher that is down finds the configuration when it starts.
    private func configure() {
        note(.world, "names members, of nodes", members.count)
        for node in members.sorted() where newestRun[node] < 0 || runs[newestRun[node]].isDead {
            queue.add(.nodeStarts(node), at: now + .microseconds(memberDice.below(300_000)))
        }
        guard publisher.isUp else { return }
        publisher.mind.configurationChanged(
            to: plan, now: publisher.clock.reading(at: now))
        wakePublisher(at: soon())
    }

    /// Where a key belongs: its owner of the members of now, or any node of a replicated cluster.
    func home(of item: Int) -> (node: Int?, shard: Int) {
        guard settings.kind == .sharded else { return (nil, item % settings.shardCount) }
        let topology = Topology(
            plan.nodes.map {
                Membership.Member(
                    node: $0.id, shards: UInt16($0.shards),
                    weightThousandths: $0.weightThousandths)
            })
        let key = Catalog.items[item]
        guard let owner = topology.owner(of: key.key, in: key.namespace) else {
            preconditionFailure("the first node is always a member")
        }
        return (members.sorted()[owner.nodeIndex.rawValue], Int(owner.shard))
    }

    /// The first key that belongs to a shard and has a value now; `nil` if there is none.
    func firstItem(of place: ShardPlace) -> Int? {
        guard settings.kind == .sharded else { return place.shard }
        return Catalog.items.indices.first { item in
            let home = home(of: item)
            let content = database.version(of: item, at: now)
            return home.node == runs[place.run].node && home.shard == place.shard
                && settings.origin?.isAbsent(item, content) != true
        }
    }
}
