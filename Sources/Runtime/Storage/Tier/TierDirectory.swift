import LibC

/// Where the tiers of a node's shards lie.
package enum TierDirectory {
    /// The tiers that `path` names: itself, or those in the directory that it is, by shard.
    ///
    /// - Throws: ``TierReaderError`` if it is a directory without any, or cannot be read. Of a
    ///   plain file, or of nothing, opening it tells.
    package static func tiers(at path: String) throws(TierReaderError) -> [String] {
        guard let directory = opendir(path) else {
            let code = errno
            if code == ENOTDIR || code == ENOENT { return [path] }
            throw TierReaderError(code, path)
        }
        defer { closedir(directory) }
        var shards: [Int] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0)) {
                    String(cString: $0)
                }
            }
            if let shard = shard(named: name) { shards.append(shard) }
        }
        guard !shards.isEmpty else { throw .noTiers(directory: path) }
        let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        return shards.sorted().map { FileStorage.path(in: folder, shard: $0) }
    }

    /// Bytes that the tiers of a node's shards take of their file system.
    package static func roomBytes(in directory: String, shardCount: Int) -> Int {
        (0..<shardCount).reduce(0) { $0 + roomBytes(in: directory, shard: $1) }
    }

    /// Bytes that the tier of one shard takes; 0 if there is none.
    package static func roomBytes(in directory: String, shard: Int) -> Int {
        var found = stat()
        guard stat(FileStorage.path(in: directory, shard: shard), &found) == 0 else { return 0 }
        return Int(found.st_blocks) * 512
    }

    /// The shard with a file of this name; `nil` if it is no tier's.
    static func shard(named name: String) -> Int? {
        guard name.hasPrefix("shard-"), name.hasSuffix(".tier") else { return nil }
        let digits = name.dropFirst(6).dropLast(5)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(digits).flatMap { "\($0)" == digits ? $0 : nil }
    }
}
