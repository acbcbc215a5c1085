import CommandSurface

@testable import martlet

/// What a command failed with; `nil` if it did not.
func failure(of body: () throws -> Void) throws -> CommandFailure? {
    do {
        try body()
        return nil
    } catch let failure as CommandFailure {
        return failure
    }
}
