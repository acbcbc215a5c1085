import CacheModel

/// A gateway's hub: who is sent what of the invalidation log.
///
///     manner 1 (bits: the log is followed from its start; a replay goes on while little waits),
///     then each event: kind 1, what it needs
enum HubFuzz: FuzzTarget {
    static let name = "hub"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let manner = script.byte()
        var hub = FuzzHub(isFollowedFromStart: manner & 1 == 1, isHasty: manner & 2 == 0)
        while !script.isAtEnd { hub.happen(script.below(16), &script) }
        hub.settle()
    }
}
