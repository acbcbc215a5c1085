import ByteCoding
import CacheConfiguration
import CacheModel
import CommandSurface

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `cluster.yaml` in the directory of `up`: written anew at each start, unless it was edited.
/// docs/decisions/0094 gives the reasons.
///
/// Its first line says what `up` wrote: a checksum of the lines after it, and the revision of the
/// configuration that the flags made.
struct UpConfigurationFile {
    /// What to do at a start.
    enum Plan {
        case write
        /// It was edited, and the flags are those that it was written for.
        case keep(ClusterConfiguration)
    }

    private static let mark = "# Written by martlet up, which keeps it once it is edited:"

    let file: URL
    private let directory: String

    init(in directory: URL) {
        file = directory.appendingPathComponent("cluster.yaml")
        self.directory = directory.path
    }

    /// - Parameter wanted: what the flags say, without the publisher's key.
    /// - Throws: ``CommandFailure`` for a file that neither may be replaced nor is what the flags
    ///   say.
    func plan(for wanted: ClusterConfiguration) throws -> Plan {
        guard FileManager.default.fileExists(atPath: file.path) else { return .write }
        let bytes = try ConfigurationReading.bytes(file.path)
        let text = String(decoding: bytes, as: UTF8.self)
        if let written = Written(text) {
            if !written.isEdited { return .write }
            guard written.revision == wanted.revision else {
                throw conflict(
                    "\(file.path) was edited since martlet up wrote it, and for other flags")
            }
            return .keep(try ConfigurationFile.read(file.path))
        }
        do {
            var found = try ConfigurationReading.read(file.path)
            found.publisher.endpoint = String(found.publisher.endpoint.prefix { $0 != "?" })
            let revisions = [wanted.revision, Self.asBefore(wanted).revision]
            if revisions.contains(found.revision) { return .write }
        } catch {
            throw conflict("\(file.path) is not as martlet up wrote it, and cannot be read")
        }
        throw conflict("\(file.path) says something else than the flags")
    }

    /// What a release that wrote no such first line made of the same flags: it had namespaces with
    /// an origin ask that before they served anything in doubt.
    private static func asBefore(_ wanted: ClusterConfiguration) -> ClusterConfiguration {
        var earlier = wanted
        for (namespace, policy) in wanted.namespaces
        where policy.suspect == .serveThenRevalidate {
            earlier.namespaces[namespace]?.suspect = .revalidate
        }
        return earlier
    }

    private func conflict(_ what: String) -> CommandFailure {
        CommandFailure(
            .unusableConfiguration,
            "\(what); it is not overwritten. To run it: martlet up --dir \(directory) --config "
                + "\(file.path); to have it written again, move it away")
    }

    /// - Parameters:
    ///   - configuration: with the publisher's key, if there is one.
    ///   - revision: of what the flags say.
    func write(_ configuration: ClusterConfiguration, revision: UInt32) throws {
        let body = configuration.yamlText()
        let head = "\(Self.mark) \(Self.checksum(body[...])) \(revision)\n"
        try ReplacedFile(file.path, flag: "--dir").write(Data((head + body).utf8))
    }

    private static func checksum(_ text: Substring) -> UInt32 {
        Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) }
    }

    private struct Written {
        let revision: UInt32
        let isEdited: Bool

        init?(_ text: String) {
            guard text.hasPrefix(UpConfigurationFile.mark),
                let end = text.firstIndex(of: "\n")
            else { return nil }
            let words = text[..<end].dropFirst(UpConfigurationFile.mark.count).split(separator: " ")
            guard words.count == 2, let checksum = UInt32(words[0]),
                let revision = UInt32(words[1])
            else { return nil }
            self.revision = revision
            isEdited = checksum != UpConfigurationFile.checksum(text[text.index(after: end)...])
        }
    }
}
