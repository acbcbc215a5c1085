import CacheModel

/// How an answer indicates the end of its body [1].
///
/// [1] RFC 9112, section 6
enum BodyFraming: Equatable {
    case length(Int)
    case chunks
    /// It does not indicate the end, or is ambiguous.
    case none

    init(of fields: [OriginField]) {
        var lengths: [String] = []
        var codings: [String] = []
        for field in fields {
            switch field.name.lowercased() {
            case "content-length": lengths.append(field.value)
            case "transfer-encoding": codings.append(field.value.lowercased())
            default: break
            }
        }
        switch (lengths.count, codings) {
        case (1, []):
            let digits = lengths[0].utf8
            let isNumber =
                !digits.isEmpty
                && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            self = isNumber ? Int(lengths[0]).map(Self.length) ?? .length(.max) : .none
        case (0, ["chunked"]): self = .chunks
        default: self = .none
        }
    }
}
