import ByteCoding
import Histogram
import LoadTest
import EssentialFoundation

/// A part of a report that is written as JSON, and read to be joined with others or shown again.
protocol ReportValue {
    var json: JSONDocument { get }

    /// - Throws: ``ReportFault`` for a value that no report has.
    init(reading json: JSONDocument) throws
}

/// An object of a report. One table writes its members in their order and reads them back.
protocol ReportObject: ReportValue {
    typealias Member = ReportMember<Self>

    static var empty: Self { get }
    static var members: [Member] { get }
}

extension ReportObject {
    var json: JSONDocument { .object(Self.members.flatMap { $0.write(self) }) }

    init(reading json: JSONDocument) throws {
        guard case .members(let stored) = json else { throw ReportFault.noReport }
        self = .empty
        for member in Self.members { try member.read(&self, stored) }
    }
}

/// Why a report cannot be used.
struct ReportFault: Error, Equatable, CustomStringConvertible {
    static let noReport = ReportFault(sentence: "this is not the JSON of martlet bench")

    var sentence: String
    var description: String { sentence }
}

/// How members of an object are written, and what reading them sets.
struct ReportMember<Object> {
    let write: (Object) -> [JSONDocument.Member]
    var read: (inout Object, JSONDocument.Members) throws -> Void = { _, _ in }
}

extension ReportMember {
    init<Value: ReportValue>(_ name: String, _ path: WritableKeyPath<Object, Value>) {
        write = { [(name, $0[keyPath: path].json)] }
        read = { $0[keyPath: path] = try Value(reading: $1[name] ?? .null) }
    }

    /// A count that earlier reports do not have.
    static func counted(_ name: String, _ path: WritableKeyPath<Object, UInt64>) -> Self {
        ReportMember(
            write: { [(name, $0[keyPath: path].json)] },
            read: { $0[keyPath: path] = try $1[name].map(UInt64.init(reading:)) ?? 0 })
    }

    /// Written for other programs; it is not read, but derived again.
    static func derived(_ name: String, _ value: @escaping (Object) -> JSONDocument) -> Self {
        ReportMember(write: { [(name, value($0))] })
    }

    /// An object of the file that is none in memory.
    static func nested(_ name: String, _ members: [Self]) -> Self {
        ReportMember(
            write: { object in [(name, .object(members.flatMap { $0.write(object) }))] },
            read: { object, stored in
                guard case .members(let inner) = stored[name] else { throw ReportFault.noReport }
                for member in members { try member.read(&object, inner) }
            })
    }

    /// Two numbers that are there together or not at all.
    ///
    /// - Parameter make: throws ``ReportFault`` if they do not fit together.
    static func pair<Pair>(
        _ first: String, _ second: String, _ path: WritableKeyPath<Object, Pair?>,
        _ numbers: @escaping (Pair) -> (Int, Int), make: @escaping (Int, Int) throws -> Pair
    ) -> Self {
        ReportMember(
            write: { object in
                let pair = object[keyPath: path].map(numbers)
                return [(first, (pair?.0).json), (second, (pair?.1).json)]
            },
            read: { object, stored in
                guard let one = try Int?(reading: stored[first] ?? .null),
                    let other = try Int?(reading: stored[second] ?? .null)
                else { return }
                object[keyPath: path] = try make(one, other)
            })
    }

    /// The whole histogram, for programs that merge reports; `null` if it is empty. One that is
    /// read must have as many digits as the one in its place, or the two cannot be added.
    static func histogram(
        _ name: String, _ path: WritableKeyPath<Object, LatencyHistogram>
    ) -> Self {
        ReportMember(
            write: { [(name, $0[keyPath: path].json)] },
            read: { object, stored in
                let histogram = try stored[name].flatMap(LatencyHistogram.reading)
                guard let histogram else { return }
                guard
                    histogram.numberOfSignificantValueDigits
                        == object[keyPath: path].numberOfSignificantValueDigits
                else { throw LatencyHistogram.damage }
                object[keyPath: path] = histogram
            })
    }
}

extension LatencyHistogram {
    fileprivate static var damage: ReportFault {
        ReportFault(sentence: "one of its histograms is damaged")
    }

    fileprivate var json: JSONDocument {
        guard let slowest else { return .null }
        return .object([
            ("count", .unsigned(totalCount)), ("min_ns", .unsigned(min)),
            ("max_ns", .unsigned(slowest)), ("hdr", .base64(EncodedHistogram.bytes(of: self))),
        ])
    }

    /// - Returns: `nil` for `null`.
    fileprivate static func reading(_ json: JSONDocument) throws -> LatencyHistogram? {
        guard json != .null else { return nil }
        guard case .members(let stored) = json else { throw ReportFault.noReport }
        let lowest = try UInt64(unbounded: stored["min_ns"] ?? .null)
        let highest = try UInt64(unbounded: stored["max_ns"] ?? .null)
        let text = try String(reading: stored["hdr"] ?? .null)
        guard lowest <= highest, let bytes = Data(base64Encoded: text) else { throw damage }
        let histogram: LatencyHistogram
        do {
            histogram = try EncodedHistogram.histogram(from: Array(bytes), range: lowest...highest)
        } catch { throw damage }
        guard try histogram.totalCount == UInt64(reading: stored["count"] ?? .null) else {
            throw damage
        }
        return histogram
    }
}

extension UInt64: ReportValue {
    var json: JSONDocument { .unsigned(self) }

    init(reading json: JSONDocument) throws {
        self = try UInt64(unbounded: json)
        // More than any load test counts, and little enough to be added up.
        guard self <= 1 << 53 else {
            throw ReportFault(sentence: "\(self) is no count of a load test")
        }
    }

    fileprivate init(unbounded json: JSONDocument) throws {
        switch json {
        case .integer(let value) where value >= 0: self = UInt64(value)
        case .unsigned(let value): self = value
        default: throw ReportFault.noReport
        }
    }
}

extension Int: ReportValue {
    var json: JSONDocument { .integer(self) }

    init(reading json: JSONDocument) throws {
        guard case .integer(let value) = json else { throw ReportFault.noReport }
        self = value
    }
}

extension Double: ReportValue {
    var json: JSONDocument { .decimal(self) }

    init(reading json: JSONDocument) throws {
        switch json {
        case .integer(let value): self = Double(value)
        case .unsigned(let value): self = Double(value)
        case .decimal(let value): self = value
        default: throw ReportFault.noReport
        }
        // Seconds of at most a year; a rate of at most a thousand million.
        guard (0...1e9).contains(self) else {
            throw ReportFault(sentence: "\(self) is neither a time nor a rate of a load test")
        }
    }
}

extension Bool: ReportValue {
    var json: JSONDocument { .bool(self) }

    init(reading json: JSONDocument) throws {
        guard case .bool(let value) = json else { throw ReportFault.noReport }
        self = value
    }
}

extension String: ReportValue {
    var json: JSONDocument { .text(self) }

    init(reading json: JSONDocument) throws {
        guard case .text(let value) = json else { throw ReportFault.noReport }
        self = value
    }
}

extension Optional: ReportValue where Wrapped: ReportValue {
    var json: JSONDocument { map(\.json) ?? .null }

    init(reading json: JSONDocument) throws {
        self = json == .null ? nil : try Wrapped(reading: json)
    }
}

extension Array: ReportValue where Element: ReportValue {
    var json: JSONDocument { .list(map(\.json)) }

    init(reading json: JSONDocument) throws {
        guard case .list(let values) = json else { throw ReportFault.noReport }
        self = try values.map { try Element(reading: $0) }
    }
}

extension Dictionary: ReportValue where Key == String, Value: ReportValue {
    var json: JSONDocument { .object(sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }) }

    init(reading json: JSONDocument) throws {
        guard case .members(let stored) = json else { throw ReportFault.noReport }
        self = [:]
        for (name, value) in zip(stored.names, stored.values) {
            self[name] = try Value(reading: value)
        }
    }
}
