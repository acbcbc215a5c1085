import Testing

/// Stories of real processes: the program that the package has built, started as people start it.
///
/// The stories of one suite run one after the other; `deploy/test` runs those of several suites
/// beside each other, because most of their time they wait. Each has ports and files of its own.
/// A story that waits for ever fails by its name instead of keeping a run from its end.
@Suite(.timeLimit(.minutes(10))) struct EndToEndTests {}
