package import CacheModel

extension OriginPolicy {
    /// The template of the posted body; `nil` if the origin is asked by GET.
    package func bodyTemplate() throws(BodyTemplateError) -> BodyTemplate? {
        guard case .post(let text) = question else { return nil }
        let type = fields.first { $0.name.lowercased() == "content-type" }
        return try BodyTemplate(parsing: text, contentType: type?.value)
    }
}
