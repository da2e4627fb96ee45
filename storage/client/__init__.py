"""The Redis client: connections, pipelining, retries."""
