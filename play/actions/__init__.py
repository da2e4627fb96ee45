"""What people, timers and engines can do to a match, an action each."""
