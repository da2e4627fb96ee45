"""A Discord of our own: REST v10 and Gateway v10 on the loopback, people who use it, and its published limits."""
