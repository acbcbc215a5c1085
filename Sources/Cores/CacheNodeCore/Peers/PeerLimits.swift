import CacheModel

/// Bounds of a node's requests to its peers.
package enum PeerLimits {
    /// Maximum number of peers asked for one load before the origin.
    package static let peersPerLoadMax = 2
    /// Maximum number of peers' shards asked at a time; beyond it keys are loaded from the origin.
    package static let linksMax = 200
    /// A shard that is being asked and is silent for this long gets a request that it can answer at
    /// once.
    package static let quietMax = Duration.milliseconds(300)
    /// It counts as silent after this long. A machine that is merely busy should not reach it: its
    /// loads would go to the origin twice.
    package static let silenceMin = Duration.milliseconds(900)
    /// How long a node that is asked for a position beyond its own waits before it says so. Nodes
    /// that hear the publisher differ by a short time.
    package static let positionWaitMax = Duration.milliseconds(300)
    /// The interval at which a silent one is tried again.
    package static let probeInterval = Duration.seconds(1)
    /// Maximum number of unanswered requests to one shard; further keys are loaded from the origin.
    /// A shard buffers twice as many replies for a node that does not read.
    package static let questionsPerLinkMax = 2_048
}
