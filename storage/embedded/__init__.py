"""The embedded server: a Redis or Valkey child process in the data directory."""

from storage.embedded.server import MULTIPART, SETTINGS, EmbeddedRedis, command
