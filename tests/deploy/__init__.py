"""The files for running Klop: units of systemd, compose, Kubernetes."""
