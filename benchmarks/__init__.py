"""The figures the project promises, measured. `make bench` prints them as a table."""
