"""The store on Redis or Valkey: one module a part, composed in `RedisStore`."""
