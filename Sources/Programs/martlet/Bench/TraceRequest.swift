import CacheModel
import CacheWorkload
import CommandSurface
import EssentialFoundation

/// One recorded request: `time,key,size`.
struct TraceRequest: Sendable {
    /// Tags of a replay are the keys' last digits, so that a tenth of them shares one.
    private static let tagCount = 10

    var key: CacheKey
    var tag: Tag
    var valueBytes: Int
    /// When it was recorded, since whenever.
    var nanoseconds: Int64

    /// Reads a trace whole.
    ///
    /// - Parameter times: what the first column counts.
    /// - Throws: ``CommandFailure`` that names the first malformed line.
    static func parse(_ data: Data, times: TraceTime) throws -> [TraceRequest] {
        var requests: [TraceRequest] = []
        for (index, line) in data.split(separator: UInt8(ascii: "\n")).enumerated() {
            let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard fields.count == 3,
                let request = TraceRequest(fields[1], size: fields[2], time: fields[0], times)
            else {
                throw CommandFailure(
                    .unusableInput, "line \(index + 1) of the trace is not time,key,size")
            }
            requests.append(request)
        }
        guard !requests.isEmpty else {
            throw CommandFailure(.unusableInput, "the trace holds no request")
        }
        return requests
    }

    private init?(_ key: Data, size: Data, time: Data, _ times: TraceTime) {
        let text = String(decoding: size, as: UTF8.self).trimmed()
        guard let name = CacheKey(bytes: [UInt8](key)), let bytes = Int(text),
            (0...(64 << 20)).contains(bytes),
            let nanoseconds = time.withUnsafeBytes({ times.nanoseconds($0) }),
            let tag = Tag("group-\((key.last ?? 0) % UInt8(Self.tagCount))")
        else { return nil }
        self.key = name
        self.tag = tag
        valueBytes = bytes
        self.nanoseconds = nanoseconds
    }
}
