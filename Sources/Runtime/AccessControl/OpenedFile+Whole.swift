extension OpenedFile {
    /// Why a file was not read.
    package enum Problem: Error {
        case failed(Failure)
        case noFile
        case open(mode: UInt32)
        case tooLong(bytesMax: Int)

        /// The reason, without the path; the caller names that.
        package var reason: String {
            switch self {
            case .failed(let failure): failure.reason
            case .noFile: "it is no file"
            case .open(let mode): "it may be read by others (mode \(String(mode, radix: 8)))"
            case .tooLong(let bytesMax): "it is longer than \(bytesMax) bytes"
            }
        }
    }

    /// The contents of a regular file. Other kinds of files, and longer ones, are refused.
    ///
    /// - Parameter isSecret: whether only this process's user, and root, may be able to read the
    ///   file.
    package static func contents(
        of path: String, bytesMax: Int, isSecret: Bool
    ) throws(Problem) -> [UInt8] {
        let file: OpenedFile
        do throws(Failure) { file = try OpenedFile(path) } catch { throw .failed(error) }
        guard file.isOrdinary else { throw .noFile }
        if isSecret, file.isOpen { throw .open(mode: file.mode) }
        let bytes: [UInt8]?
        do throws(Failure) { bytes = try file.contents(bytesMax: bytesMax) } catch {
            throw .failed(error)
        }
        guard let bytes else { throw .tooLong(bytesMax: bytesMax) }
        return bytes
    }
}
