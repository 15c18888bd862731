"""Does a model work? Runs it on a real engine: structures, generated data, every pattern, the engine's own evidence."""
