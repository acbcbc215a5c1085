import CacheLoading
import CacheWire

/// A value of several frames, as far as it has arrived.
struct PartialValue {
    let whole: ResultFields.Whole
    let facts: LoadedFacts
    var bytes: [UInt8]

    var isWhole: Bool { bytes.count == whole.totalBytes }

    /// The next part to request.
    var nextPart: GetOperation.Part {
        let left = whole.totalBytes - bytes.count
        return GetOperation.Part(
            identity: whole.identity, offset: UInt32(bytes.count),
            length: UInt32(min(left, WireLimits.chunkBytesMax)))
    }
}
