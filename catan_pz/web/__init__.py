"""Games in a browser: replays as one HTML file."""
