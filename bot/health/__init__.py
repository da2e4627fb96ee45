"""Health: whether a process is well, and its figures, for probes, systemd and Prometheus."""

from bot.health.checks import Checks, Pulse
from bot.health.sampling import Sampler
from bot.health.server import HealthServer
from bot.health.systemd import Notifier

__all__ = ["Checks", "HealthServer", "Notifier", "Pulse", "Sampler"]
