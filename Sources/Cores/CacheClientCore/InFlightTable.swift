/// The requests in flight, by the number in their request id.
///
///     request id   generation 32 │ place 32
///
/// A place is reused under the next generation. So an answer that is late, repeated or invented
/// matches nothing. Fixed size, without a dictionary; it allocates nothing after its creation.
///
/// - Complexity: O(1) for everything but ``forEach(_:)``.
public struct InFlightTable<Payload> {
    public struct Place {
        @usableFromInline package var generation: UInt32
        @usableFromInline package var payload: Payload?

        @inlinable
        package init(generation: UInt32) {
            self.generation = generation
            payload = nil
        }
    }

    @usableFromInline package var places: [Place]
    @usableFromInline package var free: [UInt32]

    /// - Parameter capacity: most requests at once, from 1.
    @inlinable
    package init(capacity: Int) {
        precondition(capacity > 0, "a table without places can hold no request")
        places = Array(repeating: Place(generation: 0), count: capacity)
        free = (0..<UInt32(capacity)).reversed()
    }

    @inlinable
    package var count: Int { places.count &- free.count }

    @inlinable
    package var isFull: Bool { free.isEmpty }

    /// Opens a request.
    ///
    /// - Returns: its id, never 0; `nil` if the table is full.
    @inlinable
    package mutating func open(_ payload: Payload) -> UInt64? {
        guard let place = free.popLast() else { return nil }
        places[Int(place)].generation &+= 1
        if places[Int(place)].generation == 0 { places[Int(place)].generation = 1 }
        places[Int(place)].payload = payload
        return UInt64(places[Int(place)].generation) << 32 | UInt64(place)
    }

    /// Closes a request and returns its payload.
    ///
    /// - Returns: `nil` for an id that is not open: late, repeated or invented.
    @inlinable
    package mutating func close(_ id: UInt64) -> Payload? {
        let place = Int(UInt32(truncatingIfNeeded: id))
        guard place < places.count, places[place].generation == UInt32(id >> 32),
            let payload = places[place].payload
        else { return nil }
        places[place].payload = nil
        free.append(UInt32(place))
        return payload
    }

    /// The payload of an open request; `nil` for an id that is not open.
    @inlinable
    package subscript(id: UInt64) -> Payload? {
        get {
            let place = Int(UInt32(truncatingIfNeeded: id))
            guard place < places.count, places[place].generation == UInt32(id >> 32) else {
                return nil
            }
            return places[place].payload
        }
        set {
            let place = Int(UInt32(truncatingIfNeeded: id))
            precondition(
                newValue != nil && place < places.count
                    && places[place].generation == UInt32(id >> 32)
                    && places[place].payload != nil,
                "only an open request can be changed, and it stays open")
            places[place].payload = newValue
        }
    }

    /// Passes every open request once, in no particular order.
    ///
    /// - Complexity: O(capacity).
    @inlinable
    package func forEach(_ body: (UInt64, Payload) -> Void) {
        for (index, place) in places.enumerated() {
            guard let payload = place.payload else { continue }
            body(UInt64(place.generation) << 32 | UInt64(index), payload)
        }
    }
}
