import SeededRandom

/// Random numbers that a seed determines: the same seed gives the same numbers.
public typealias SeededGenerator = SeededRandom.SeededGenerator
