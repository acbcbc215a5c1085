package import CacheModel

/// What changes, here and elsewhere.
extension NearCache {
    /// The log is followed from here on. Nothing before it will be heard.
    package mutating func follows(after position: LogPosition) {
        removeAll()
        applied = position
    }

    /// A record was heard: what it covers is let go of.
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

    /// The publisher is there, and its log ends here.
    package mutating func beat(head: LogPosition) {
        if applied == nil { follows(after: head) }
    }

    /// Some of the log was lost; it goes on after `position`.
    package mutating func lost(continuingAfter position: LogPosition) {
        follows(after: position)
    }

    /// The log is not followed any more: nothing is kept until it is again.
    package mutating func cut() {
        removeAll()
        applied = nil
    }

    // MARK: Changes made through this gateway

    /// Somebody here stores or removes a key. Said before a node is asked and again when it was
    /// answered, whatever it answered.
    package mutating func forget(_ key: NearKey) {
        fences[Self.fence(of: key)] &+= 1
        drop(key)
    }

    /// Somebody here invalidates these. Said before the publisher is asked and again when it was
    /// answered, whatever it answered.
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
