import Testing

/// Stories of real processes: the program that the package has built, started as people start it.
///
/// One story at a time: each runs four processes, and the machine may have two cores.
@Suite(.serialized) struct EndToEndTests {}
