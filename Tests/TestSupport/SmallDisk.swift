import Foundation

/// A small file system of its own, for as long as this lives.
package final class SmallDisk {
    private let directory: TemporaryDirectory
    private let image: String?

    package var path: String { directory.path }

    /// Memory that is a file system.
    ///
    /// - Returns: `nil`, and says why, where none may be mounted.
    package static func inMemory(megabytes: Int) throws -> SmallDisk? {
        let directory = try TemporaryDirectory("disk")
        let answer = try run(
            "mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", directory.path)
        return mounted(answer, directory, image: nil)
    }

    /// An ext4 in a file.
    package static func ext4(megabytes: Int) throws -> SmallDisk? {
        let directory = try TemporaryDirectory("disk")
        let path = directory.path
        let image = path + ".image"
        let made = try run(
            "sh", "-c",
            "truncate -s \(megabytes)M \(image) && mkfs.ext4 -q \(image)"
                + " && mount -o loop,errors=remount-ro \(image) \(path)")
        return mounted(made, directory, image: image)
    }

    private static func mounted(
        _ complaint: String?, _ directory: TemporaryDirectory, image: String?
    ) -> SmallDisk? {
        let disk = SmallDisk(directory, image: image)
        guard let complaint else { return disk }
        print("skipped, no disk of its own can be mounted here: \(complaint)")
        return nil
    }

    private init(_ directory: TemporaryDirectory, image: String?) {
        self.directory = directory
        self.image = image
    }

    deinit {
        do {
            _ = try Self.run("umount", "-l", path)
            directory.remove()
            if let image { try FileManager.default.removeItem(atPath: image) }
        } catch {
            print("\(path) was not removed: \(error)")
        }
    }

    package func remountReadOnly() throws -> Bool {
        try Self.run("mount", "-o", "remount,ro", path) == nil
    }

    /// What becomes of a disk that finds itself damaged: it takes no more writes.
    package func breakDown() throws -> Bool {
        try Self.run(
            "sh", "-c",
            "device=$(findmnt -n -o SOURCE \(path)) && "
                + "echo broken > /sys/fs/ext4/${device#/dev/}/trigger_fs_error") == nil
    }

    /// - Returns: what it complains of if it fails.
    private static func run(_ arguments: String...) throws -> String? {
        let (process, errors) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let said = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : "\(arguments[0]): \(said)"
    }
}
