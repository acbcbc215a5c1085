import CacheLoading
import CacheModel

/// Reads how an origin is asked, and which certificates are trusted.
extension ConfigurationReader {
    private enum Method: String, CaseIterable {
        case get = "GET"
        case post = "POST"
    }

    /// - Returns: `nil` if it cannot be read, which is told.
    func readQuestion(_ reader: MappingReader) -> OriginQuestion? {
        let body = reader.text("body", expected: "a template such as '{\"id\": \"{key}\"}'")
        guard let method: Method = reader.knownChoice("method", default: .get) else { return nil }
        switch (method, body) {
        case (.post, let body?): return .post(body: body)
        case (.post, nil):
            if reader.entry("body") == nil {
                reader.add("method", "a POST needs a body; add one with {key} in it")
            }
            return nil
        case (.get, .some):
            reader.add("body", "a GET has none; add method: POST")
            return nil
        case (.get, nil): return .get
        }
    }

    /// Judges what more than one setting decides.
    func checkQuestion(of origin: OriginPolicy, _ reader: MappingReader) {
        do throws(BodyTemplateError) {
            guard let body = try origin.bodyTemplate() else { return }
            let url = URLTemplate.named(by: origin)
            if !body.hasKey, url?.hasKey == false {
                reader.add(
                    "body",
                    "neither it nor the url has {key}, so every key would get the same value; "
                        + "put {key} where the key belongs")
            }
            if origin.writesBehind, url?.hasKey == false {
                reader.add(
                    "write-behind",
                    "writes are PUT and DELETE at the url, which has no {key}; put it there, or "
                        + "leave write-behind out")
            }
        } catch {
            reader.add("body", "\(error)")
        }
    }

    func readTLS(_ reader: MappingReader, url: String) -> OriginTLS? {
        guard let settings = reader.mapping("tls") else { return nil }
        settings.refuseUnknown(["authority", "certificate", "key"])
        let tls = OriginTLS(
            authority: fileName("authority", settings),
            certificate: fileName("certificate", settings), key: fileName("key", settings))
        if !url.lowercased().hasPrefix("https://") {
            reader.add("tls", "the url is not one of https; write https:// or leave tls out")
        }
        if (tls.certificate == nil) != (tls.key == nil) {
            settings.add(
                tls.key == nil ? "certificate" : "key",
                "certificate and key come together; name both or none")
        }
        return tls == OriginTLS() ? nil : tls
    }

    private func fileName(_ name: String, _ reader: MappingReader) -> String? {
        let expected = "the name of a PEM file in the node's secrets-directory"
        guard let text = reader.text(name, expected: expected) else { return nil }
        guard SecretName.isUsable(text) else {
            reader.add(
                name,
                "\"\(text)\" could lead out of the node's secrets-directory; write the file's name "
                    + "in there, such as ca.pem")
            return nil
        }
        return text
    }
}

extension URLTemplate {
    /// `nil` if it cannot be read, which was said before.
    fileprivate static func named(by origin: OriginPolicy) -> URLTemplate? {
        do throws(URLTemplateError) {
            return try URLTemplate(parsing: origin.url, needsKey: false)
        } catch {
            return nil
        }
    }
}
