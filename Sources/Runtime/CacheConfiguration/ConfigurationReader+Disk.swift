extension ConfigurationReader {
    /// A node's disk tier; `nil` if it has none, or one that is wrong.
    mutating func readDisk(_ reader: MappingReader, _ node: NodeSettings) -> DiskSettings? {
        let reads: DiskReadMode = reader.choice("disk-reads", default: .ring)
        let directory = reader.directory(
            "disk-directory", expected: "a directory such as /var/lib/martlet/n1")
        let limit = reader.value(
            "disk-write-limit", "bytes a second such as 20MiB, or none", nil,
            parse: WriteLimitText.parse)
        let leftFree = reader.value(
            "disk-free", "a size such as 20GiB, or none", nil, parse: DiskFreeText.parse)
        guard reader.entry("disk") != nil else {
            let others = ["disk-directory", "disk-reads", "disk-write-limit", "disk-free"]
            for name in others where reader.entry(name) != nil {
                reader.add(
                    name,
                    "the node has no disk tier; give it one, for example \"disk: 10GiB\", or "
                        + "remove the line")
            }
            return nil
        }
        let size: Int? = reader.value("disk", "a size such as 10GiB, or none", nil) {
            text throws(TextProblem) in try DiskSizeText.parse(text, shards: node.shards)
        }
        guard let bytes = size else { return nil }
        guard let directory else {
            if reader.entry("disk-directory") == nil {
                reader.add(
                    "disk",
                    "the disk tier has no place; give one, for example "
                        + "\"disk-directory: /var/lib/martlet/\(node.id)\"")
            }
            return nil
        }
        directories.claim(
            directory, path: MappingReader.join(reader.path, "disk-directory"),
            place: reader.place(of: "disk-directory"), problems)
        return DiskSettings(
            directory: directory, bytes: bytes, reads: reads, writeBytesPerSecond: limit,
            leftFreeBytes: leftFree)
    }

    /// Where a node queues writes; `nil` if nowhere.
    mutating func readQueueDirectory(_ reader: MappingReader) -> String? {
        let name = "queue-directory"
        let directory = reader.directory(
            name, expected: "a directory such as /var/lib/martlet/n1-queue")
        guard let directory else { return nil }
        directories.claim(
            directory, path: MappingReader.join(reader.path, name), place: reader.place(of: name),
            problems)
        return directory
    }
}
