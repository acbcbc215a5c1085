import CacheDisk
import Storage
import CacheModel
import Threading

/// Fills the ring as fast as the tier takes it, round by round.
struct DiskFileWriting {
    let path: String
    let geometry: DiskGeometry
    let valueBytes: Int
    let rounds: Int

    /// - Returns: the number of the first entry that no round has written, and how many a round
    ///   has.
    func run() throws -> (end: Int, perRound: Int) {
        let tier = try DrivenTier(path, geometry, .threads(CacheFilesLimits.readersUsual))
        let value = UnsafeMutableRawBufferPointer.allocate(byteCount: valueBytes, alignment: 16)
        defer { value.deallocate() }
        _ = value.initializeMemory(as: UInt8.self, repeating: 7)
        var (number, perRound) = (0, 0)
        for round in 0..<rounds {
            let (first, payload) = (number, tier.tier.statistics.payloadBytes)
            let written = tier.tier.statistics.writtenBytes
            let began = MonotonicClock.now
            // The first ends where reclaiming would begin; the others write as much.
            while round == 0 ? tier.tier.hasFreeSegments : number - first < perRound {
                try tier.store(number, value)
                number += 1
            }
            try tier.drain()
            let seconds = Double((MonotonicClock.now.nanoseconds - began.nanoseconds)) / 1e9
            if round == 0 { perRound = number }
            let name = round == 0 ? "write, into a new file" : "write, over what was there"
            let done = tier.tier.statistics
            Report.print(
                name, Report.number(Double(done.payloadBytes - payload) / seconds / 1e6) + " MB/s",
                asked: "≥ 800 MB/s or 0.6 × fio")
            Report.print(
                name + ": written ÷ payload",
                Report.number(
                    Double(done.writtenBytes - written) / Double(done.payloadBytes - payload),
                    digits: 3))
        }
        try tier.close()
        return (number, perRound)
    }
}
