package import CacheModel

/// Changes: records of the log, and changes made through this gateway.
extension NearCache {
    /// The log is followed from here on, or continues here after records were lost. No record
    /// before this position will arrive.
    package mutating func follows(after position: LogPosition) {
        removeAll()
        applied = position
    }

    /// A record arrived: the entries that it covers are dropped.
    package mutating func heard(_ record: InvalidationRecord) {
        let position = record.position
        if let applied, applied.epoch == position.epoch {
            self.applied = max(applied, position)
        } else {
            removeAll()
            applied = position
        }
        drop(record.scopes)
    }

    /// A heartbeat arrived, with the head of the publisher's log.
    package mutating func beat(head: LogPosition) {
        if applied == nil { follows(after: head) }
    }

    /// The log is no longer followed: nothing is kept until it is followed again.
    package mutating func cut() {
        removeAll()
        applied = nil
    }

    // MARK: Changes made through this gateway

    /// Drops a key that a client of this gateway stores or removes. Called before a node is asked,
    /// and again after its answer, whatever the answer was.
    package mutating func forget(_ key: NearKey) {
        fences[Self.fence(of: key)] &+= 1
        drop(key)
    }

    /// Drops what a client of this gateway invalidates. Called before the publisher is asked, and
    /// again after its answer, whatever the answer was.
    package mutating func forget(_ scopes: some Sequence<Scope>) {
        for scope in scopes {
            if case .key(let key, let namespace) = scope.target {
                forget(NearKey(key, in: namespace))
            } else {
                everythingFence &+= 1
                removeAll()
            }
        }
    }

    private mutating func drop(_ scopes: some Sequence<Scope>) {
        for scope in scopes {
            if case .key(let key, let namespace) = scope.target {
                drop(NearKey(key, in: namespace))
            } else {
                removeAll()
            }
        }
    }

    private mutating func drop(_ key: NearKey) {
        guard let entry = entries[key] else { return }
        remove(key, entry)
        figures.dropped += 1
    }
}
