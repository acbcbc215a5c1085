import CPlatform
import LibC

extension TierFile {
    /// Opens a file that is there, for reading alone. It is not locked.
    init(reading path: String) throws(DiskFileError) {
        self.path = path
        faults = .none
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .call("open", path: path, code: errno) }
        do throws(DiskFileError) {
            guard try status().st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        } catch {
            letGo()
            throw error
        }
    }

    /// Whether another descriptor holds its lock.
    var isLocked: Bool { martlet_file_is_locked(descriptor) }
}
