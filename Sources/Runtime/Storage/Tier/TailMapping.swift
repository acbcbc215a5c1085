import CPlatform
import CacheDisk
import LibC

/// The tail of a file, mapped into memory and guarded; see `martlet_mapping_open`.
///
/// Unchecked, because several threads hold the pointer: the shard's stores into the tail, and the
/// one that writes reads from it what the shard has promised not to change before the completion.
struct TailMapping: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    /// Where in the file it ends.
    let endOffset: Int
    private let guardNumber: CInt

    init(_ file: TierFile, _ geometry: DiskGeometry) throws(DiskFileError) {
        var address: UnsafeMutableRawPointer?
        var number: CInt = -1
        let code = martlet_mapping_open(
            file.descriptor, Int64(geometry.tailOffset), geometry.tailBytes, &address, &number)
        guard code == 0 else {
            throw code == ENODEV || code == EINVAL
                ? .unfit(path: file.path, lacking: "does not map files into memory")
                : .call("map", path: file.path, code: code)
        }
        bytes = UnsafeMutableRawBufferPointer(start: address, count: geometry.tailBytes)
        endOffset = geometry.tailOffset + geometry.tailBytes
        guardNumber = number
    }

    /// Whether it is not the file's any more.
    var isLost: Bool { martlet_mapping_is_lost(guardNumber) }

    func lose() { martlet_mapping_lose(guardNumber) }

    /// No thread may touch the bytes any more.
    func close() { martlet_mapping_close(guardNumber) }
}
