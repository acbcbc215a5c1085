import ArgumentParser
import CacheInvalidation
import CacheModel
import Storage

/// Makes a log of a certain length, as a publisher would.
struct MakeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Make a log of so many MiB, closed in order.")

    @Argument(help: "The log's directory.") var directory: String
    @Option(help: "How long it becomes.") var mebibytes = 1_024
    @Option(help: "Keys in each record.") var keys = 1

    func run() throws {
        var opened = try OpenedLog(directory, mebibytesKept: 2 * mebibytes)
        var records = SampleRecords(after: opened.log.head, keys: keys)
        while opened.figure("log_bytes") < UInt64(mebibytes) << 20 {
            var batch: [SealedRecord] = []
            for _ in 0..<max(1, 4_096 / keys) { batch.append(try records.next()) }
            try opened.append(batch)
        }
        opened.log.keeper.close()
        print(
            "\(opened.figure("log_bytes") >> 20) MiB in \(opened.figure("log_segments")) segments, "
                + "\(opened.log.head.position.sequence) records")
    }
}
