extension RequestStream {
    /// The next request. The stream never ends: the phase decides when to stop.
    @inlinable
    package mutating func next() -> WorkloadRequest {
        let kind = kinds[choice.index(random.word())]
        if kind == .insert {
            let place = ownCount + insertedCount
            insertedCount += 1
            return request(kind, first: part.key(at: place), step: 1, count: 1)
        }
        let wanted = kind == .scan ? 1 + random.below(scanKeysMax) : 1
        if drawsOwn {
            let place = keys.draw(&random, insertedCount: insertedCount)
            return request(
                kind, first: part.key(at: place), step: part.count,
                count: min(wanted, ownCount + insertedCount - place))
        }
        let number = kind.changesKey ? changedKey() : keys.draw(&random, insertedCount: 0)
        return request(kind, first: number, step: 1, count: min(wanted, keyCount - number))
    }

    /// A key of its own, where keys are drawn from all.
    @inlinable
    package mutating func changedKey() -> Int {
        part.own(keys.draw(&random, insertedCount: 0), of: keyCount)
    }

    @inlinable
    package func request(
        _ kind: OperationKind, first: Int, step: Int, count: Int
    ) -> WorkloadRequest {
        WorkloadRequest(
            kind, keys: (first, step, count), keyBytes: keySizes.bytes(for: first),
            valueBytes: valueSizes.bytes(for: first))
    }

    /// The length of the key of that number, for the further keys of a scan.
    @inlinable
    package func keyBytes(of number: Int) -> Int { keySizes.bytes(for: number) }

    /// The length of the value of the key of that number.
    @inlinable
    package func valueBytes(of number: Int) -> Int { valueSizes.bytes(for: number) }
}
