import ArgumentParser
import ByteCoding
import CacheInvalidation
import CacheModel
import Threading

/// What it costs the publisher's thread to note what a record touches, and to tell it.
struct FloorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "floors", abstract: "Note records in a floor snapshot, and tell its parts.")

    @Option(help: "Keys in all.") var keys = 4_000_000
    @Option(help: "Keys in each record.") var together = 1

    func run() throws {
        let start = LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: .none),
            digest: LogDigest(startOf: LogID(1)))
        var records = SampleRecords(after: start, keys: together)
        let made = try (0..<(keys / together)).map { _ in try records.next() }
        var floors = FloorSnapshot(of: LogID(1), at: start, isCertain: true)
        let noting = time { for record in made { floors.note(record) } }
        print("note: \(noting / keys) a key")
        var copy = floors
        let last = try records.next()
        print("first note after a copy: \(time { copy.note(last) })")
        for (what, missed) in [
            ("everything", keys / together), ("200 000 keys", 200_000 / together),
        ] {
            tell(floors, what, above: UInt64(made.count - missed))
        }
        var writer = ByteWriter()
        let storing = time {
            floors.encodeHead(into: &writer)
            var page = 0
            while page < FloorSnapshot.pageCount {
                page = floors.encodePages(from: page, bytesMax: 256 << 10, into: &writer)
            }
        }
        print("stored: \(writer.count >> 20) MiB, encoded in \(storing)")
        let reading = time { _ = FloorSnapshot(stored: writer.bytes) }
        print("read in \(reading)")
    }

    private func tell(_ floors: FloorSnapshot, _ what: String, above floor: UInt64) {
        var (bucket, parts, entries) = (0, 0, 0)
        var longest = Duration.zero
        let all = time {
            while bucket < FloorSnapshot.bucketCount {
                let one = time {
                    let part = floors.part(from: bucket, above: SequenceNumber(floor))
                    bucket = part.next
                    entries += part.entries.count
                }
                parts += 1
                longest = max(longest, one)
            }
        }
        print("tell \(what): \(entries) buckets in \(parts) parts, \(all), longest part \(longest)")
    }

    private func time(_ body: () -> Void) -> Duration {
        let began = MonotonicClock.now
        body()
        return MonotonicClock.now.elapsed(since: began)
    }
}
