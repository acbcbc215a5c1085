import CacheLoading
import CacheWire

/// A value that takes several frames, as far as it has come.
struct PartialValue {
    let whole: ResultFields.Whole
    let facts: LoadedFacts
    var bytes: [UInt8]

    var isWhole: Bool { bytes.count == whole.totalBytes }

    /// What to ask for next.
    var nextPart: GetOperation.Part {
        let left = whole.totalBytes - bytes.count
        return GetOperation.Part(
            identity: whole.identity, offset: UInt32(bytes.count),
            length: UInt32(min(left, WireLimits.chunkBytesMax)))
    }
}
