import CacheConfiguration

/// A cluster's file: what is taken says the same once it is written out in full.
enum ClusterFuzz: FuzzTarget {
    static let name = "cluster"

    static func take(_ input: UnsafeRawBufferPointer) {
        let bytes = [UInt8](input)
        do throws(ConfigurationErrors) {
            let configuration = try ClusterConfiguration.parse(bytes, fileName: "f")
            writeAgain(configuration)
        } catch {
            for problem in error.problems {
                check(problem.fileName == "f" && problem.place >= .start, "a problem has a place")
                check(!problem.sentence.isEmpty, "a problem can be said")
            }
        }
    }

    private static func writeAgain(_ configuration: ClusterConfiguration) {
        let text = configuration.yamlText()
        do throws(ConfigurationErrors) {
            let other = try ClusterConfiguration.parse(text, fileName: "g")
            check(other == configuration, "a configuration is written otherwise than it was read")
        } catch {
            fatalError("a configuration cannot be read once it is written: \(error)\n\(text)")
        }
    }
}
