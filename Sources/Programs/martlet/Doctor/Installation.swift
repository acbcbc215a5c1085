import AccessControl
import CacheAccess
import CacheConfiguration
import CommandSurface
import EssentialFoundation
import ZeroMQ

/// What `doctor` is to look at, read as far as it can be.
struct Installation {
    /// Paths and endpoints from flags and variables; `nil`: not given.
    struct Places {
        var configuration: String?
        var key: String?
        var allowList: String?
        var directory: String?
        var cluster: [String] = []
    }

    /// A file that was to be read: what it holds, or why it cannot be used.
    struct Source<Content> {
        let path: String
        let content: Result<Content, CommandFailure>

        var value: Content? {
            if case .success(let value) = content { value } else { nil }
        }
    }

    let places: Places
    let configuration: Source<ClusterConfiguration>?
    let keys: (path: String, content: Result<CurveKeyPair, KeyFileError>)?
    let list: Source<AccessList>?

    /// The key pair of `--key`; `nil` if no key was named, or it cannot be used.
    var pair: CurveKeyPair? {
        if case .success(let pair) = keys?.content { pair } else { nil }
    }

    init(_ places: Places) {
        let places = Self.completed(places)
        self.places = places
        configuration = places.configuration.map { Source($0, ConfigurationReading.read) }
        keys = places.key.map { path in
            (path, Result { () throws(KeyFileError) in try KeyFile.read(path) })
        }
        list = places.allowList.map { Source($0, Self.readList) }
    }

    /// Paths that were not given are those in the directory, where `up` makes the files.
    private static func completed(_ places: Places) -> Places {
        guard let directory = places.directory else { return places }
        var places = places
        func file(_ name: String) -> String? {
            let path = URL(fileURLWithPath: directory).appendingPathComponent(name).path
            return FileManager.default.fileExists(atPath: path) ? path : nil
        }
        places.configuration = places.configuration ?? file("cluster.yaml")
        places.allowList = places.allowList ?? file("allow-list")
        return places
    }

    private static func readList(_ path: String) throws -> AccessList {
        let bytes = try FileBytes.first(DoctorLimits.listBytesMax, of: path)
        guard bytes.count <= AccessList.bytesMax else {
            throw CommandFailure(
                .unusableConfiguration, "it is longer than \(AccessList.bytesMax) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AccessListProblem(line: 0, reason: .notText)
        }
        return try AccessList(parsing: text)
    }
}

extension Installation.Source {
    fileprivate init(_ path: String, _ read: (String) throws -> Content) {
        self.path = path
        do {
            content = .success(try read(path))
        } catch let failure as CommandFailure {
            content = .failure(failure)
        } catch let errors as ConfigurationErrors {
            let first = errors.problems.first.map { "\($0)" } ?? "\(errors)"
            let more = errors.problems.count - 1
            content = .failure(
                CommandFailure(
                    .unusableConfiguration, more > 0 ? "\(first) (and \(more) more)" : first))
        } catch {
            content = .failure(CommandFailure(.unusableConfiguration, "\(error)"))
        }
    }
}
