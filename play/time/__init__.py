"""Time: clocks, timers, reminders, vacations, inactivity."""
