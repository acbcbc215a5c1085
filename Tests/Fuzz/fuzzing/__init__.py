"""What Tests/Fuzz/run does, one aspect a file."""
