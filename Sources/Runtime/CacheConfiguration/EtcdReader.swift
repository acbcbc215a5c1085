/// Reads where etcd is, and how a publisher shows its identity there.
struct EtcdReader {
    /// The settings, without the directory: that is claimed for its owner.
    func read(_ reader: MappingReader) -> EtcdSettings {
        reader.refuseUnknown(EtcdSettings.Key.allCases.map(\.rawValue))
        var settings = EtcdSettings(endpoints: readEtcdEndpoints(reader))
        settings.prefix = reader.value(
            "prefix", "a prefix such as \(settings.prefix)", settings.prefix,
            parse: EtcdText.prefix)
        settings.user = reader.value("user", "a user of etcd", nil, parse: EtcdText.user)
        func file(_ name: String) -> String? {
            reader.directory(name, expected: "a file such as /etc/martlet/\(name)")
        }
        settings.passwordFile = file("password-file")
        settings.authority = file("ca")
        settings.certificate = file("certificate")
        settings.key = file("key")
        for (key, sentence) in Self.given(settings, by: reader).faults {
            reader.add(key.rawValue, sentence)
        }
        return settings
    }

    /// The same with something in each setting that is there but wrong, so that its other half is
    /// not called wrong for it.
    private static func given(_ settings: EtcdSettings, by reader: MappingReader) -> EtcdSettings {
        func filled(_ value: String?, _ key: EtcdSettings.Key) -> String? {
            value ?? (reader.entry(key.rawValue) == nil ? nil : "")
        }
        var given = settings
        given.user = filled(settings.user, .user)
        given.passwordFile = filled(settings.passwordFile, .passwordFile)
        given.certificate = filled(settings.certificate, .certificate)
        given.key = filled(settings.key, .key)
        return given
    }

    /// The endpoints, also those that are wrong: they are reported, and count as given.
    private func readEtcdEndpoints(_ reader: MappingReader) -> [String] {
        let name = EtcdSettings.Key.endpoints.rawValue
        let path = MappingReader.join(reader.path, name)
        let example = "endpoints: [http://127.0.0.1:2379]"
        guard let entry = reader.entry(name) else {
            reader.add(name, "there is no endpoint of etcd; give its members, as in \"\(example)\"")
            return []
        }
        guard let list = entry.value.sequence else {
            reader.add(
                name,
                "here must stand a list, as in \"\(example)\"; found \(entry.value.kindForPeople)")
            return []
        }
        if let problem = EtcdText.count(list.count) { reader.add(name, problem.sentence) }
        var endpoints: [String] = []
        for (index, node) in list.enumerated() {
            let path = "\(path)[\(index)]"
            let text = reader.text(
                node, path: path, expected: "an endpoint such as http://127.0.0.1:2379")
            guard let text else { continue }
            do throws(TextProblem) {
                _ = try EtcdText.endpoint(text)
                if endpoints.contains(text) { throw EtcdText.repeated(text) }
            } catch {
                reader.problems.add(node.place, path, error.sentence)
            }
            endpoints.append(text)
        }
        return endpoints
    }
}
