"""The tests; they mirror the folders of the house."""

from hypothesis import HealthCheck, settings

# Tests assert behaviour, never time: a busy machine fails none of them.
settings.register_profile("klop", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("klop")
