import CacheModel

/// A log on etcd: where etcd is, under which prefix the log lies, and how a publisher shows its
/// identity there. Secrets are in files, which the publisher reads at its start.
package struct EtcdSettings: Hashable, Sendable {
    /// The settings as the file names them; the flags of most have `--etcd-` before it.
    package enum Key: String, CaseIterable, Sendable {
        case endpoints
        case prefix
        case user
        case passwordFile = "password-file"
        case authority = "ca"
        case certificate
        case key
        case stateDirectory = "state-directory"
    }

    /// Of the members, as ``EtcdText`` reads them: ``ConfigurationLimits/etcdEndpoints``, each
    /// once.
    package var endpoints: [String]
    /// Every key of this cluster begins with it. Another cluster on the same etcd needs another
    /// prefix.
    package var prefix = "/martlet/"
    /// With ``passwordFile``. `nil`: etcd's authentication is off, or the certificate names the
    /// user.
    package var user: String?
    package var passwordFile: String?
    /// PEM: the authorities that sign the members' certificates; `nil`: the system's.
    package var authority: String?
    /// PEM: the publisher's certificate, with ``key``; `nil`: none is shown.
    package var certificate: String?
    package var key: String?
    /// Where the publisher keeps how far it has seen the log: this publisher's alone. `nil` where
    /// the configuration has several publishers: each has its own.
    package var stateDirectory: String?

    package init(endpoints: [String]) { self.endpoints = endpoints }

    /// What is wrong with the settings together, although each is right by itself.
    package var faults: [(key: Key, sentence: String)] {
        let pairs: [(Key, Key)] = [
            (.user, .passwordFile), (.passwordFile, .user), (.certificate, .key),
            (.key, .certificate),
        ]
        var faults: [(key: Key, sentence: String)] = []
        for (key, other) in pairs where isGiven(key) && !isGiven(other) {
            faults.append(
                (key, "\(key.rawValue) is nothing without \(other.rawValue); give both"))
        }
        guard !endpoints.isEmpty, !endpoints.contains(where: { $0.hasPrefix(EtcdText.https) })
        else { return faults }
        for key in [Key.authority, .certificate, .key] where isGiven(key) {
            faults.append(
                (
                    key,
                    "this is for an encrypted connection, and no endpoint begins with "
                        + "\(EtcdText.https); write the endpoints so, or remove it"
                ))
        }
        return faults
    }

    private func isGiven(_ key: Key) -> Bool {
        switch key {
        case .endpoints: !endpoints.isEmpty
        case .prefix: true
        case .user: user != nil
        case .passwordFile: passwordFile != nil
        case .authority: authority != nil
        case .certificate: certificate != nil
        case .key: self.key != nil
        case .stateDirectory: stateDirectory != nil
        }
    }
}

/// How people write where etcd is and what is kept there. The file and the command line share it.
package enum EtcdText {
    static let http = "http://"
    static let https = "https://"
    private static let form = "write http://HOST:PORT or https://HOST:PORT"

    /// `text`, if a client can connect to it. `localhost` stays as it is: a certificate may have
    /// this name.
    ///
    /// - Throws: a sentence if it is no endpoint. It never repeats a password.
    package static func endpoint(_ text: String) throws(TextProblem) -> String {
        guard !text.contains("@") else {
            throw TextProblem(
                "an endpoint of etcd has no user and no password in it; \(form), and give user and "
                    + "password-file")
        }
        let scheme = [http, https].first { text.hasPrefix($0) }
        guard let scheme else {
            throw TextProblem(
                "\(TextProblem.quote(text)) is no endpoint of etcd; \(form), for example "
                    + "http://127.0.0.1:2379")
        }
        let place = text.dropFirst(scheme.utf8.count)
        guard let colon = place.lastIndex(of: ":"), colon != place.startIndex,
            let port = NumberWithUnit(String(place[place.index(after: colon)...])),
            port.unit.isEmpty, let number = UInt16(exactly: port.number), number > 0
        else {
            throw TextProblem(
                "\(TextProblem.quote(text)) has no port at its end; \(form), for example "
                    + "\(scheme)127.0.0.1:2379")
        }
        let host = String(place[..<colon])
        guard text.utf8.count <= ConfigurationLimits.endpointBytesMax,
            host.utf8.allSatisfy({ $0 < 0x80 }), EndpointText.isHost(host)
        else {
            throw TextProblem(
                "\(TextProblem.quote(host)) in \(TextProblem.quote(text)) is not a host; "
                    + "write an address such as 127.0.0.1 or [::1], or a name")
        }
        return text
    }

    /// The endpoints that `text` lists, separated by commas.
    ///
    /// - Throws: a sentence if one is no endpoint or is given twice, or there are too many.
    package static func endpoints(_ text: String) throws(TextProblem) -> [String] {
        var endpoints: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            endpoints.append(try endpoint(String(part.trimmed())))
        }
        if let twice = firstRepeated(endpoints) { throw repeated(endpoints[twice]) }
        if let problem = count(endpoints.count) { throw problem }
        return endpoints
    }

    /// The index of the first that stands before, too.
    static func firstRepeated(_ endpoints: [String]) -> Int? {
        endpoints.indices.first { endpoints[..<$0].contains(endpoints[$0]) }
    }

    static func repeated(_ endpoint: String) -> TextProblem {
        TextProblem("\(endpoint) is given twice; remove one")
    }

    /// Why there cannot be so many endpoints; `nil`: there can.
    static func count(_ count: Int) -> TextProblem? {
        let range = ConfigurationLimits.etcdEndpoints
        guard !range.contains(count) else { return nil }
        return TextProblem(
            "\(range.lowerBound) to \(range.upperBound) endpoints of etcd can be given; "
                + "found \(count)")
    }

    /// - Throws: a sentence if `text` cannot begin every key of a cluster.
    package static func prefix(_ text: String) throws(TextProblem) -> String {
        let most = ConfigurationLimits.etcdPrefixBytesMax
        let isPlain = text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        guard text.hasPrefix("/"), isPlain, text.utf8.count <= most else {
            throw TextProblem(
                "\(TextProblem.quote(text)) is no prefix; begin with / and use 1 to \(most) of "
                    + "a-z A-Z 0-9 . _ - /")
        }
        return text
    }

    /// - Throws: a sentence if `text` is no name of a user.
    package static func user(_ text: String) throws(TextProblem) -> String {
        let most = ConfigurationLimits.etcdUserBytesMax
        guard (1...most).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw TextProblem(
                "\(TextProblem.quote(text)) is no user of etcd; give 1 to \(most) bytes without "
                    + "control characters")
        }
        return text
    }
}
