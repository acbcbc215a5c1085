import Histogram
import LoadTest

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A histogram, as a report has it.
struct StoredHistogram: Decodable {
    var count: UInt64
    var minNs: UInt64
    var maxNs: UInt64
    var hdr: String

    /// - Parameter empty: has as many digits as it has to have, or the two cannot be added.
    func figures(like empty: LatencyHistogram) throws(StoredRun.Fault) -> LatencyHistogram {
        guard minNs <= maxNs, let bytes = Data(base64Encoded: hdr) else {
            throw Self.fault
        }
        do {
            let histogram = try EncodedHistogram.histogram(
                from: Array(bytes), range: minNs...maxNs)
            guard histogram.totalCount == count, count <= 1 << 53,
                histogram.numberOfSignificantValueDigits == empty.numberOfSignificantValueDigits
            else { throw Self.fault }
            return histogram
        } catch {
            throw Self.fault
        }
    }

    private static let fault = StoredRun.Fault(sentence: "one of its histograms is damaged")
}
