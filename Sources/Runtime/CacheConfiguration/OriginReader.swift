import CacheLoading
import CacheModel

/// Reads where the values of a namespace come from, and how that is asked.
struct OriginReader {
    /// The origin of a namespace: a URL alone, or settings; `nil` if there is none.
    func read(_ reader: MappingReader) -> OriginPolicy? {
        guard let entry = reader.entry("origin") else { return nil }
        if case .scalar = entry.value.content {
            guard let text = reader.text("origin", expected: Self.originExpected) else {
                return nil
            }
            return text == "none" ? nil : origin(at: text) { reader.add("origin", $0) }
        }
        guard let settings = reader.mapping("origin") else { return nil }
        settings.refuseUnknown([
            "url", "method", "body", "headers", "tls", "read", "coalesce", "lifetime",
            "stale-while-revalidate",
            "stale-if-error", "negative-ttl", "soft-timeout", "timeout", "concurrency", "queue",
            "retries", "breaker-pause", "early-refresh", "version-header", "write-behind",
        ])
        guard let text = settings.text("url", expected: Self.originExpected) else {
            if settings.entry("url") == nil {
                settings.add("url", "an origin needs one; \(Self.originExpected)")
            }
            return nil
        }
        let question = readQuestion(settings)
        guard
            var origin = origin(
                at: text, needsKey: question == .get, { settings.add("url", $0) })
        else { return nil }
        readReading(settings, into: &origin)
        readCare(settings, into: &origin)
        origin.question = question ?? .get
        origin.fields = readFields(settings)
        origin.tls = readTLS(settings, url: text)
        checkQuestion(of: origin, settings)
        return origin
    }

    private static let originExpected = "a URL such as https://api.example/users/{key}"

    private func origin(
        at text: String, needsKey: Bool = true, _ refuse: (String) -> Void
    ) -> OriginPolicy? {
        do throws(URLTemplateError) {
            _ = try URLTemplate(parsing: text, needsKey: needsKey)
            return OriginPolicy(url: text)
        } catch {
            refuse("\(error)")
            return nil
        }
    }

    /// What readers get.
    private func readReading(_ reader: MappingReader, into origin: inout OriginPolicy) {
        origin.read = reader.choice("read", default: origin.read)
        origin.coalescing = reader.choice("coalesce", default: origin.coalescing)
        origin.lifetimeSource = reader.choice("lifetime", default: origin.lifetimeSource)
        origin.staleWhileRevalidate = reader.duration(
            "stale-while-revalidate", default: origin.staleWhileRevalidate,
            in: ConfigurationLimits.staleWindow)
        origin.staleIfError = reader.duration(
            "stale-if-error", default: origin.staleIfError, in: ConfigurationLimits.staleWindow)
        origin.negativeTimeToLive = reader.duration(
            "negative-ttl", default: origin.negativeTimeToLive,
            in: ConfigurationLimits.negativeTimeToLive)
        origin.softTimeout = reader.optionalDuration(
            "soft-timeout", default: origin.softTimeout, in: ConfigurationLimits.originTimeout)
        origin.refreshShare = reader.percent(
            "early-refresh", default: origin.refreshShare, in: ConfigurationLimits.refreshShare)
        let behind: YesOrNo = reader.choice("write-behind", default: .no)
        origin.writesBehind = behind == .yes
        if let name = reader.text("version-header", expected: "a header's name, or none") {
            origin.versionField = name == "none" ? nil : name
        }
    }

    private enum YesOrNo: String, CaseIterable {
        case yes = "true"
        case no = "false"
    }

    /// How the origin is treated.
    private func readCare(_ reader: MappingReader, into origin: inout OriginPolicy) {
        origin.timeout = reader.duration(
            "timeout", default: origin.timeout, in: ConfigurationLimits.originTimeout)
        origin.concurrencyMax = reader.count(
            "concurrency", default: origin.concurrencyMax,
            in: ConfigurationLimits.originConcurrency)
        origin.queueMax = reader.count(
            "queue", default: origin.queueMax, in: ConfigurationLimits.originQueue)
        origin.retriesMax = reader.count(
            "retries", default: origin.retriesMax, in: ConfigurationLimits.originRetries)
        origin.breakerPause = reader.duration(
            "breaker-pause", default: origin.breakerPause, in: ConfigurationLimits.breakerPause)
        if let soft = origin.softTimeout, soft >= origin.timeout {
            reader.add(
                "soft-timeout",
                "\(DurationText.format(soft)) is not shorter than timeout, "
                    + "\(DurationText.format(origin.timeout)); lower it or leave it out")
        }
    }

    private func readFields(_ reader: MappingReader) -> [OriginField] {
        guard let headers = reader.mapping("headers") else { return [] }
        var fields: [OriginField] = []
        for entry in headers.entries {
            let path = MappingReader.join(headers.path, entry.name)
            guard
                let value = headers.text(
                    entry.value, path: path, expected: "a header's value, in quotation marks")
            else { continue }
            fields.append(OriginField(name: entry.name, value: value))
        }
        do throws(OriginFieldError) {
            try OriginField.check(fields)
        } catch {
            reader.add("headers", "\(error)")
            return []
        }
        return fields
    }
}

/// Reads how an origin is asked, and which certificates are trusted.
extension OriginReader {
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
