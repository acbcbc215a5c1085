import ByteCoding

/// The API as an OpenAPI 3.2 document: `openapi.json` beside this file. 3.2 is the first that has a
/// place for PURGE, and for what a stream is made of. Tests/Schema holds it against the gateway.
enum OpenAPIDocument {
    /// As it is served: one line.
    static let line = document.line

    /// The same for what reads OpenAPI 3.1 and nothing newer, as most generators do.
    static let olderLine = older(document).line

    static var document: JSONDocument {
        do throws(JSONReader.Damage) {
            return try JSONReader.read(PackageResources.openapi_json)
        } catch {
            preconditionFailure("openapi.json is no JSON: \(error)")
        }
    }

    /// In the terms of 3.1. What has no place there begins with `x-`, which it ignores: PURGE, and
    /// the items of a stream.
    static func older(_ document: JSONDocument) -> JSONDocument {
        guard case .members(var members) = document else {
            guard case .list(let values) = document else { return document }
            return .list(values.map(older))
        }
        let extensions = ["additionalOperations", "itemSchema"]
        members.values = members.values.map(older)
        for (index, name) in members.names.enumerated() {
            if extensions.contains(name) { members.names[index] = "x-\(name)" }
            if name == "openapi" { members.values[index] = .text("3.1.1") }
        }
        return .members(members)
    }
}
