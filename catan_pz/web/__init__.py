"""Games in a browser: tables to play at, positions to study, replays as one HTML file."""
