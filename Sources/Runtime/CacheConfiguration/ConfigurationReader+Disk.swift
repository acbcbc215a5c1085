import CacheModel

extension ConfigurationReader {
    /// A node's disk tier; `nil` if it has none, or one that is wrong.
    mutating func readDisk(_ reader: MappingReader, _ node: NodeSettings) -> DiskSettings? {
        let reads: DiskReadMode = reader.choice("disk-reads", default: .ring)
        let directory = reader.directory(
            "disk-directory", expected: "a directory such as /var/lib/martlet/n1")
        let limit = readWriteLimit(reader)
        let leftFree = readLeftFree(reader)
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
        guard let bytes = readDiskSize(reader, shards: node.shards) else { return nil }
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

    private func readWriteLimit(_ reader: MappingReader) -> Int? {
        let expected = "bytes a second such as 20MiB, or none"
        guard let text = reader.text("disk-write-limit", expected: expected) else { return nil }
        do throws(TextProblem) {
            return try WriteLimitText.parse(text)
        } catch {
            reader.add("disk-write-limit", error.sentence)
            return nil
        }
    }

    private func readLeftFree(_ reader: MappingReader) -> Int? {
        let expected = "a size such as 20GiB, or none"
        guard let text = reader.text("disk-free", expected: expected) else { return nil }
        do throws(TextProblem) {
            return try DiskFreeText.parse(text)
        } catch {
            reader.add("disk-free", error.sentence)
            return nil
        }
    }

    private func readDiskSize(_ reader: MappingReader, shards: Int) -> Int? {
        guard let text = reader.text("disk", expected: "a size such as 10GiB, or none") else {
            return nil
        }
        do throws(TextProblem) {
            return try DiskSizeText.parse(text, shards: shards)
        } catch {
            reader.add("disk", error.sentence)
            return nil
        }
    }
}
