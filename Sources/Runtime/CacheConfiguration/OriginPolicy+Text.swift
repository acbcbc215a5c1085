import CacheModel

extension OriginPolicy {
    /// Writes the settings under `origin`, all of them.
    func write(to writer: inout ConfigurationText, indent: Int) {
        writer.setting("origin", indent: indent)
        let inner = indent + 2
        let settings: [(String, String)] = [
            ("url", ConfigurationText.quoted(url)), ("read", read.rawValue),
            ("coalesce", coalescing.rawValue), ("lifetime", lifetimeSource.rawValue),
            ("stale-while-revalidate", DurationText.format(staleWhileRevalidate)),
            ("stale-if-error", DurationText.format(staleIfError)),
            ("negative-ttl", DurationText.format(negativeTimeToLive)),
            ("soft-timeout", DurationText.format(softTimeout)),
            ("timeout", DurationText.format(timeout)),
            ("concurrency", "\(concurrencyMax)"), ("queue", "\(queueMax)"),
            ("retries", "\(retriesMax)"), ("breaker-pause", DurationText.format(breakerPause)),
            ("early-refresh", PercentText.format(refreshShare)),
            ("write-behind", writesBehind ? "true" : "false"),
            ("version-header", versionField.map { ConfigurationText.quoted($0) } ?? "none"),
        ]
        for (name, value) in settings { writer.setting(name, value, indent: inner) }
        if case .post(let body) = question {
            writer.setting("method", "POST", indent: inner)
            writer.setting("body", ConfigurationText.quoted(body), indent: inner)
        }
        tls?.write(to: &writer, indent: inner)
        guard !fields.isEmpty else { return }
        writer.setting("headers", indent: inner)
        for field in fields {
            writer.setting(
                ConfigurationText.quoted(field.name), ConfigurationText.quoted(field.value),
                indent: inner + 2)
        }
    }
}

extension OriginTLS {
    fileprivate func write(to writer: inout ConfigurationText, indent: Int) {
        writer.setting("tls", indent: indent)
        for (name, value) in [("authority", authority), ("certificate", certificate), ("key", key)]
        {
            guard let value else { continue }
            writer.setting(name, ConfigurationText.quoted(value), indent: indent + 2)
        }
    }
}
