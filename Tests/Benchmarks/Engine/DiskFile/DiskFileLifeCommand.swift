import ArgumentParser
import CacheDisk
import Storage
import CacheModel
import Foundation
import TestSupport
import Threading

/// A process that ends by kill -9, whatever it has done. `disk-file` starts it.
struct DiskFileLifeCommand: ParsableCommand {
    enum Life: String, ExpressibleByArgument { case fill, open }

    static let configuration = CommandConfiguration(
        commandName: "disk-file-life", shouldDisplay: false)
    static let valueBytes = 100

    @Argument var directory: String
    @Argument var life: Life
    @Option var entries: Int

    func run() throws {
        // Of a record of 152 bytes and its entry in the footer; a few segments stay free.
        guard let geometry = DiskGeometry.fitting(entries * 172 + 192 << 20) else {
            throw ValidationError("so many entries have no file")
        }
        let path = DiskFileCommand.path(in: directory)
        let began = MonotonicClock.now
        let tier = try DrivenTier(path, geometry, .threads(CacheFilesLimits.readersUsual))
        let open = MonotonicClock.now
        switch life {
        case .fill: try fill(tier)
        case .open:
            guard try tier.read(entries / 2) != nil else {
                throw GaveUp("nothing was recovered")
            }
            let answered = MonotonicClock.now
            let text =
                "\(open.nanoseconds - began.nanoseconds) "
                + "\(answered.nanoseconds - began.nanoseconds) \(tier.tier.entryCount)\n"
            FileHandle.standardOutput.write(Data(text.utf8))
        }
        kill(getpid(), SIGKILL)
    }

    private func fill(_ tier: DrivenTier) throws {
        let value = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.valueBytes, alignment: 16)
        defer { value.deallocate() }
        _ = value.initializeMemory(as: UInt8.self, repeating: 7)
        for number in 0..<entries { try tier.store(number, value) }
    }
}
