import Foundation
import TestSupport

extension House {
    static let root = Repository.root

    static let manifest = SourceFile("Package.swift", contents(of: "Package.swift"))

    /// Everything written by hand in `Sources`, `Tests` and `deploy`, sorted by path.
    static let files = ["Sources", "Tests", "deploy"].flatMap(files(under:))

    static let sources = files.filter { $0.path.hasPrefix("Sources/") && $0.isSwift }
    static let sourcesByModule = Dictionary(grouping: sources, by: \.module)
    static let tests = files.filter { $0.isTest && $0.isSwift }
    static let swiftFiles = files.filter(\.isSwift) + [manifest]

    /// Files of the layers without I/O.
    static let sansIO = sources.filter { modules[$0.module]?.layer.isSansIO == true }

    /// The names in a folder of the repository that do not begin with a dot.
    static func entries(of folder: String) -> [String] {
        let url = root.appending(path: folder)
        let names = try? FileManager.default.contentsOfDirectory(atPath: url.path)
        return (names ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    private static func files(under folder: String) -> [SourceFile] {
        let skipped: Set<String> = ["Generated", "__pycache__"]
        return entries(of: folder).filter { !skipped.contains($0) }.flatMap { name in
            let path = folder + "/" + name
            var isFolder: ObjCBool = false
            let url = root.appending(path: path)
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
                return [SourceFile]()
            }
            if isFolder.boolValue { return files(under: path) }
            return isWritten(path) ? [SourceFile(path, contents(of: path))] : []
        }
    }

    /// Code has a known ending or, being a script without one, says who runs it.
    private static func isWritten(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return contents(of: path).hasPrefix("#!") }
        return ["swift", "c", "h", "py", "sh"].contains(name[name.index(after: dot)...])
    }

    static func contents(of path: String) -> String {
        (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
    }
}
