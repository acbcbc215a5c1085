import CacheModel

extension CacheClient {
    /// Continues a get on the general path after the fast path has ended.
    func goOn(
        _ ending: ReadEnding, _ key: CacheKey, _ reading: Reading
    ) async throws(CacheError) -> CachedValue? {
        let lookup: Result<Lookup, CacheError>
        switch ending {
        case .found(let value): return value
        case .missing: return nil
        case .failed(let error): lookup = .failure(error)
        case .firstPart(let answer): lookup = await conclude(.answered(answer), key, reading)
        case .again(let attempt): lookup = await lookUp(key, reading, after: attempt)
        case .untried: lookup = await lookUp([key], reading)[0]
        }
        return try value(lookup, reading).get()
    }
}
