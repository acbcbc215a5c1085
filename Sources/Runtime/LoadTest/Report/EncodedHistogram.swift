import Histogram

/// A histogram as bytes, in the V2 encoding of HdrHistogram without its compression, so that other
/// tools can read it [1].
///
///      cookie 0x1c849313 · length of the counts · 0 · digits      4 × u32, big-endian
///      lowest · highest trackable value · 1.0                     2 × u64, f64
///      counts in the order of their buckets                       zigzag LEB128
///                                                                 −n: n buckets without a count
///
/// [1] github.com/HdrHistogram/HdrHistogram, AbstractHistogram.encodeIntoByteBuffer
package enum EncodedHistogram {
    static let cookie: UInt32 = 0x1c84_9313
    static let headBytes = 40

    /// - Complexity: O(buckets).
    package static func bytes(of histogram: LatencyHistogram) -> [UInt8] {
        var counts: [UInt8] = []
        var next = 0
        let layout = Layout(histogram.numberOfSignificantValueDigits)
        for bucket in histogram.recordedValues() {
            let index = layout.index(of: bucket.value)
            appendGap(index - next, to: &counts)
            append(Int64(clamping: bucket.count), to: &counts)
            next = index + 1
        }
        var bytes: [UInt8] = []
        append(cookie, to: &bytes)
        append(UInt32(counts.count), to: &bytes)
        append(UInt32(0), to: &bytes)
        append(UInt32(histogram.numberOfSignificantValueDigits.rawValue), to: &bytes)
        append(UInt64(1), to: &bytes)
        append(LatencyHistogram.nanosecondsMax, to: &bytes)
        append((1.0).bitPattern, to: &bytes)
        return bytes + counts
    }

    /// - Parameter range: the fastest and the slowest value, of which the encoding has only the
    ///   buckets.
    /// - Throws: ``Fault`` unless it is a histogram as ``bytes(of:)`` writes it.
    package static func histogram(
        from bytes: [UInt8], range: ClosedRange<UInt64>
    ) throws(Fault) -> LatencyHistogram {
        guard bytes.count >= headBytes, integer(bytes[0..<4]) == UInt64(cookie),
            integer(bytes[4..<8]) == UInt64(bytes.count - headBytes),
            integer(bytes[8..<12]) == 0, integer(bytes[16..<24]) == 1
        else { throw .notOfThisKind }
        var histogram: LatencyHistogram
        switch integer(bytes[12..<16]) {
        case 2: histogram = .ofMoment()
        case 3: histogram = .latencies()
        default: throw .notOfThisKind
        }
        let buckets = try counts(
            bytes[headBytes...], Layout(histogram.numberOfSignificantValueDigits))
        try fill(&histogram, with: buckets, range: range)
        return histogram
    }

    package enum Fault: Error, Equatable {
        case notOfThisKind
        /// The counts end within a number, or belong to no value.
        case torn
    }

    private static func fill(
        _ histogram: inout LatencyHistogram, with buckets: [(value: UInt64, count: UInt64)],
        range: ClosedRange<UInt64>
    ) throws(Fault) {
        guard let first = buckets.first, let last = buckets.last else { return }
        guard histogram.valuesAreEquivalent(first.value, range.lowerBound),
            histogram.valuesAreEquivalent(last.value, range.upperBound),
            range.upperBound <= LatencyHistogram.nanosecondsMax
        else { throw .torn }
        var total: UInt64 = 0
        for bucket in buckets {
            let (sum, isOverflow) = total.addingReportingOverflow(bucket.count)
            guard !isOverflow else { throw .torn }
            total = sum
            var rest = bucket.count
            if bucket.value == last.value {
                histogram.record(range.upperBound)
                rest -= 1
            }
            if bucket.value == first.value, rest > 0 {
                histogram.record(range.lowerBound)
                rest -= 1
            }
            if rest > 0 { histogram.record(bucket.value, count: rest) }
        }
    }

    private static func counts(
        _ bytes: ArraySlice<UInt8>, _ layout: Layout
    ) throws(Fault) -> [(value: UInt64, count: UInt64)] {
        var bytes = bytes
        var index = 0
        var buckets: [(value: UInt64, count: UInt64)] = []
        while !bytes.isEmpty {
            let number = try takeNumber(&bytes)
            // A negative number is a run of empty buckets; zero is one empty bucket.
            if number <= 0 {
                guard number >= -Int64(layout.indexMax) else { throw .torn }
                index += max(1, Int(-number))
            } else {
                guard index <= layout.indexMax else { throw .torn }
                buckets.append((layout.value(at: index), UInt64(number)))
                index += 1
            }
        }
        return buckets
    }
}

extension EncodedHistogram {
    /// Maps values to buckets: the first 2 × half buckets have width one, each further half is
    /// twice as wide as the one before.
    struct Layout {
        private let halfBits: Int
        /// The bucket of the greatest recordable value.
        let indexMax: Int

        init(_ digits: SignificantDigits) {
            var bits = 0
            var needed = 2
            for _ in 0..<digits.rawValue { needed *= 10 }
            while 1 << bits < needed { bits += 1 }
            halfBits = bits - 1
            indexMax = Self.index(of: LatencyHistogram.nanosecondsMax, halfBits: bits - 1)
        }

        func index(of value: UInt64) -> Int { Self.index(of: value, halfBits: halfBits) }

        /// The lowest value of a bucket.
        func value(at index: Int) -> UInt64 {
            let power = (index >> halfBits) - 1
            if power < 0 { return UInt64(index) }
            return UInt64((index & (1 << halfBits - 1)) + 1 << halfBits) << UInt64(power)
        }

        private static func index(of value: UInt64, halfBits: Int) -> Int {
            let mask = UInt64(1) << UInt64(halfBits + 1) - 1
            let power = 63 - halfBits - (value | mask).leadingZeroBitCount
            return power << halfBits + Int(value >> UInt64(power))
        }
    }

    private static func appendGap(_ count: Int, to bytes: inout [UInt8]) {
        if count == 1 { append(Int64(0), to: &bytes) }
        if count > 1 { append(-Int64(count), to: &bytes) }
    }

    /// Zigzag, then seven bits a byte, the lowest first; a ninth byte has eight.
    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
        for _ in 0..<8 {
            if rest < 0x80 {
                bytes.append(UInt8(rest))
                return
            }
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func takeNumber(_ bytes: inout ArraySlice<UInt8>) throws(Fault) -> Int64 {
        var number: UInt64 = 0
        for place in 0..<9 {
            guard let byte = bytes.popFirst() else { throw .torn }
            let isLast = place == 8
            number |= UInt64(isLast ? byte : byte & 0x7F) << UInt64(7 * place)
            if isLast || byte < 0x80 { break }
        }
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
