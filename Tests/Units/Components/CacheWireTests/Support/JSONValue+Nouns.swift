import ByteCoding
import CacheModel
import CacheWire

/// The nouns that several messages share, in the form of the golden files.
extension JSONValue {
    static func position(_ position: LogPosition) -> JSONValue {
        .members([
            "epoch": .small(position.epoch.rawValue), "sequence": .wide(position.sequence.rawValue),
        ])
    }

    static func mark(_ mark: LogMark) -> JSONValue {
        var value = position(mark.position)
        value["digest"] = .wide(mark.digest.rawValue)
        return value
    }

    static func token(_ token: FillToken, validMilliseconds: UInt32) -> JSONValue {
        var writer = ByteWriter()
        token.encode(validMilliseconds: validMilliseconds, into: &writer)
        return .hex(writer.array)
    }

    static func operation(_ operation: OperationID) -> JSONValue {
        var writer = ByteWriter()
        writer.append(operation.high)
        writer.append(operation.low)
        return .hex(writer.array)
    }

    static func scope(_ scope: Scope) -> JSONValue {
        let (kind, namespace, name) = scope.parts
        return .members([
            "kind": .small(kind.rawValue), "name": .hex(name),
            "namespace": .text(namespace == .default ? "" : namespace.name),
            "minimumVersion": scope.minimumVersion.map { .wide($0.rawValue) },
            "hashRange": scope.hashRange.map {
                .members(["first": .wide($0.lowerBound), "last": .wide($0.upperBound)])
            },
        ])
    }

    static func record(_ sealed: SealedRecord) -> JSONValue {
        let record = sealed.record
        var value = position(record.position)
        value["previousDigest"] = .wide(record.previousDigest.rawValue)
        value["operation"] = operation(record.operation)
        value["strength"] = .small(record.strength.rawValue)
        value["scopes"] = .list(record.scopes.map(scope))
        if record.isOfNewerForm { value["newer"] = .hex(sealed.bytes.dropFirst(24)) }
        return value
    }
}
