"""What the numbers say: growth, partition size and heat, break-even. No clock: times are seconds from now."""
