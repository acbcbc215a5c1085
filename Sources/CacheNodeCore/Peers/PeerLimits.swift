import CacheModel

/// Every bound on what a node asks of its peers.
package enum PeerLimits {
    /// Peers that are asked for one load before the origin is.
    package static let peersPerLoadMax = 2
    /// Shards of peers that are asked at a time; for keys of others the origin is.
    package static let linksMax = 200
    /// A shard that is being asked and says nothing for this long is asked something that it can
    /// answer at once.
    package static let quietMax = Duration.milliseconds(300)
    /// It is silent if it has said nothing for this long. A machine that is merely busy should
    /// not be: its loads would go to the origin twice.
    package static let silenceMin = Duration.milliseconds(900)
    /// How long a node that is asked for more than it has obeyed waits before it says so. Nodes
    /// that hear the publisher are apart by a moment.
    package static let positionWaitMax = Duration.milliseconds(300)
    /// How often a silent one is tried again.
    package static let probeInterval = Duration.seconds(1)
    /// Questions that one shard may owe an answer to; for more keys the origin is asked. A shard
    /// holds twice as many replies back for a node that does not read.
    package static let questionsPerLinkMax = 2_048
}
