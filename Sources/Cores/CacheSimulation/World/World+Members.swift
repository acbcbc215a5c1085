import CacheModel
import CacheWire
import PublisherCore

/// A node that leaves the configuration of a sharded cluster, and returns.
///
/// All random choices here use a separate generator.
extension World {
    /// How many of a thousand seeds have it, unless other settings exclude it.
    static let membersPerMille = 700

    static func memberDice(of seed: UInt64) -> Dice {
        Dice(seed: seed &* 0xD1B5_4A32_D192_ED03 ^ 1)
    }

    func planMembers() {
        guard settings.membersChange else { return }
        tally.memberSeeds += 1
        planMembersChange()
    }

    /// A joining node needs time to start and to get requests.
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

    /// Before the end all nodes are members again.
    func restoreMembers() {
        guard members.count < settings.nodeCount else { return }
        members = Set(0..<settings.nodeCount)
        configure()
    }

    /// docs/consistency.md: an earlier publisher may have granted a lease to a node that left
    /// since. A publisher that does not know this lease does not wait for the node.
    func keepUnknownMembers() {
        guard settings.mayGrantsBeForgotten, now < memberLeftAt + bound else { return }
        restoreMembers()
    }

    /// A publisher that is down reads the configuration at its start.
    private func configure() {
        note(.world, "names members, of nodes", members.count)
        for node in members.sorted() where newestRun[node] < 0 || runs[newestRun[node]].isDead {
            queue.add(.nodeStarts(node), at: now + .microseconds(memberDice.below(300_000)))
        }
        guard publisher.isUp else { return }
        publisher.core.configurationChanged(
            to: plan, now: publisher.clock.reading(at: now))
        wakePublisher(at: soon())
    }

    /// The place of a key: its owner among the present members, or any node of a replicated
    /// cluster.
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
