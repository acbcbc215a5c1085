/// The core workloads of YCSB [1] as a cache sees them.
///
/// An update is a set, a read is a get, and an insert is a set of a new key. A scan, which YCSB
/// does over a table from some key on, is a request for as many consecutive keys, 1 to 100, each
/// length with equal probability.
///
/// [1] Cooper, Silberstein, Tam, Ramakrishnan, Sears: Benchmarking cloud serving systems with YCSB,
/// SoCC 2010.
package enum YCSBWorkload: String, CaseIterable, Sendable {
    case a = "ycsb-a"
    case b = "ycsb-b"
    case c = "ycsb-c"
    case d = "ycsb-d"
    case e = "ycsb-e"
    case f = "ycsb-f"

    package var mix: OperationMix {
        switch self {
        case .a: .reads(0.5)
        case .b: OperationMix([.init(.get, weight: 0.95), .init(.set, weight: 0.05)])
        case .c: .only(.get)
        case .d: OperationMix([.init(.get, weight: 0.95), .init(.insert, weight: 0.05)])
        case .e: OperationMix([.init(.scan, weight: 0.95), .init(.insert, weight: 0.05)])
        case .f: OperationMix([.init(.get, weight: 0.5), .init(.readModifyWrite, weight: 0.5)])
        }
    }

    package var distribution: KeyDistribution {
        switch self {
        case .a, .b, .c, .e, .f: .zipf(exponent: KeyDistribution.standardExponent)
        case .d: .latest(exponent: KeyDistribution.standardExponent)
        }
    }
}
